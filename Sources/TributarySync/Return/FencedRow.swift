import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// The combined effect of fenced transactions on one row.
struct FencedRow {
  /// Their first operation, which shows whether the row was there before them.
  private(set) var first: ChangeOperation
  /// The columns that they set, except those of the key.
  private(set) var columns: Set<Int> = []
  /// Whether they wrote the row as a whole.
  private(set) var isWhole = false
  /// Whether the row shows what no transaction shows any more.
  private(set) var isUnrecorded = false
  /// By how much they changed counters.
  private(set) var sums: [Int: Int64] = [:]
  /// The largest or smallest values that they wrote.
  private(set) var bests: [Int: Value] = [:]
  /// The number that one of them gave to the row, and when; `nil` for rows that were there before, or have
  /// other keys.
  private(set) var numbering: (number: Int64, stamp: Stamp)?
  /// Whether they deleted a row that had the number before.
  private(set) var hasReplacedNumber = false
  /// The transactions whose authors knew least: the first of each author, and those with a basis.
  private(set) var authors: [BatchTransaction] = []
  /// Whether another store has issued all of them again.
  private(set) var isIssued = false
  /// Whether the last of them deleted the row.
  private(set) var isDeleted = false

  /// Whether lost transactions may have changed the row too. The difference from its base shows what they
  /// did.
  private(set) var isCompared = false

  init(_ change: RowHistory.Change) {
    first = change.operation
    isIssued = true
  }

  /// Creates a row whose changes are unknown.
  ///
  /// - Parameter isNew: whether no other store knew the row.
  init(anyColumnOf table: TableDescription, isNew: Bool) {
    first = isNew ? .insert : .update
    addColumns(of: table)
  }

  /// Creates a row that the store does not show.
  init(isComparedAsDeleted: Bool) {
    first = .delete
    isDeleted = true
    isCompared = isComparedAsDeleted
  }

  mutating func compare() { isCompared = true }

  /// Adds changes whose columns are unknown.
  ///
  /// - Parameter isNew: whether it is known now that no other store knew the row.
  mutating func addColumns(of table: TableDescription, isNew: Bool = false) {
    if isNew { first = .insert }
    isUnrecorded = true
    isWhole = true
    columns = Set(table.shape.columns.indices).subtracting(table.shape.keys.map(\.column))
  }

  /// Adds the next change.
  ///
  /// - Parameters:
  ///   - number: the number that the change gives to the row in its author's terms, if it gives one.
  ///   - isIssuedAgain: whether another store has issued the change again. Then nothing of it is counted
  ///     again, and equal values are no conflict.
  mutating func add(
    _ change: RowHistory.Change, numbering number: Int64?, _ table: TableDescription,
    isIssued isIssuedAgain: Bool
  ) {
    isIssued = isIssued && isIssuedAgain
    let keys = Set(table.shape.keys.map(\.column))
    if change.author.basis != nil
      || !authors.contains(where: { $0.side.peer == change.side.peer })
    {
      authors.append(change.author)
    }
    isDeleted = change.operation == .delete
    if let number {
      hasReplacedNumber = hasReplacedNumber || first != .insert && numbering == nil
      numbering = (number, change.author.stamp)
    }
    switch change.operation {
    case .delete: clear()
    case .insert, .replace:
      clear()
      isWhole = true
      columns = Set(table.shape.columns.indices).subtracting(keys)
    case .update:
      for (column, value) in change.values.enumerated() where !keys.contains(column) {
        guard let value else { continue }
        columns.insert(column)
        switch table.policies[column] {
        case .latest, .last: break
        case .counter:
          if case .integer(let step) = value, !isIssuedAgain { sums[column, default: 0] &+= step }
        case .max, .min:
          bests[column] =
            bests[column].map { table.policies[column].merged(value, into: $0) } ?? value
        }
      }
    }
  }

  private mutating func clear() {
    columns = []
    isWhole = false
    sums = [:]
    bests = [:]
  }
}
