import TributaryCore
import TributaryStore

/// What a row has that another version of it lacks.
struct RowDifference {
  /// The columns that an update must contain, including those of the key.
  private(set) var columns: Set<Int> = []
  /// The row with the values that nothing contradicts, and the columns of it that an update must contain,
  /// including those of the key; `nil` if there are no such values.
  private(set) var addition: (row: [Value], columns: Set<Int>)?
  /// Whether values differ in columns that merge by a policy. An update of these would mean something else,
  /// and what loses there is not a conflict.
  private(set) var hasUnsaid = false

  /// Whether nothing contradicts the other version.
  var isEmpty: Bool { columns.isEmpty }

  /// Compares two versions of a row.
  ///
  /// - Parameter unstated: the columns about which the other version says nothing. Values in them are
  ///   additions.
  init(
    of row: [Value], from other: [Value], _ table: TableDescription, unstated: Set<Int> = []
  ) {
    // Usually, they are equal.
    if row.elementsEqual(other, by: { $0.hasSameBits(as: $1) }) { return }
    let keys = Set(table.shape.keys.map(\.column))
    let others = row.indices.filter { !keys.contains($0) }
    var added: Set<Int> = []
    for column in others where !row[column].hasSameBits(as: other[column]) {
      if !table.policies[column].takesLatest {
        hasUnsaid = true
      } else if unstated.contains(column) {
        added.insert(column)
      } else {
        columns.insert(column)
      }
    }
    let whole = table.mergesByRow ? Set(others.filter { table.policies[$0].takesLatest }) : nil
    if !columns.isEmpty {
      // The table merges by row, and this row was written as a whole.
      columns = (whole ?? columns).union(keys)
    }
    if !added.isEmpty {
      var combined = other
      for column in added { combined[column] = row[column] }
      // The other columns of the whole row were contradicted, and must not count as written again.
      let said = columns.isEmpty ? whole ?? added : added
      addition = (combined, said.union(keys))
    }
  }
}
