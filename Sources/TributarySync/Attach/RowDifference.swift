import TributaryCore
import TributaryStore

/// What a row has that another version of it lacks.
struct RowDifference {
  /// The columns that an update must give, besides those of the key.
  private(set) var columns: Set<Int> = []
  /// Whether there are other values in columns that merge by a policy: an update would mean something else,
  /// and what loses there is not a conflict.
  private(set) var hasUnsaid = false

  var isEmpty: Bool { columns.isEmpty }

  init(of row: [Value], from other: [Value], _ table: TableDescription) {
    let keys = Set(table.shape.keys.map(\.column))
    let others = row.indices.filter { !keys.contains($0) }
    for column in others where !row[column].hasSameBits(as: other[column]) {
      if table.policies[column].takesLatest {
        columns.insert(column)
      } else {
        hasUnsaid = true
      }
    }
    if !columns.isEmpty, table.mergesByRow {
      // As a whole, the row is one that somebody wrote.
      columns = Set(others.filter { table.policies[$0].takesLatest })
    }
    columns.formUnion(columns.isEmpty ? [] : keys)
  }
}
