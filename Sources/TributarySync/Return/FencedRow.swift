import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// What fenced transactions have done to one row, all together.
struct FencedRow {
  /// The first thing that they did: whether the row was there before them.
  private(set) var first: ChangeOperation
  /// The columns that they set, besides those of the key.
  private(set) var columns: Set<Int> = []
  /// Whether they gave the row as a whole.
  private(set) var isWhole = false
  /// By how much they changed counters.
  private(set) var sums: [Int: Int64] = [:]
  /// The largest or smallest values that they gave.
  private(set) var bests: [Int: Value] = [:]
  /// The number that one of them gave to the row, and when; `nil` for rows that were there before, or have other
  /// keys.
  private(set) var numbering: (number: Int64, stamp: Stamp)?
  /// Whether they deleted a row that had the number before.
  private(set) var hasReplacedNumber = false
  /// The transactions whose authors knew least: the first of each author, and those with a basis.
  private(set) var authors: [BatchTransaction] = []
  /// Whether another store has issued all of them again.
  private(set) var isIssued = false
  /// Whether the last of them deleted it.
  private(set) var isDeleted = false

  /// Whether transactions that are lost may have changed it too: the difference from its base says what they did.
  private(set) var isCompared = false

  init(_ change: RowHistory.Change) {
    first = change.operation
    isIssued = true
  }

  /// A row that was changed nobody knows how.
  ///
  /// - Parameter isNew: whether nobody else knew the row.
  init(anyColumnOf table: TableDescription, isNew: Bool) {
    first = isNew ? .insert : .update
    addColumns(of: table)
  }

  /// A row that the store does not show.
  init(isComparedAsDeleted: Bool) {
    first = .delete
    isDeleted = true
    isCompared = isComparedAsDeleted
  }

  mutating func compare() { isCompared = true }

  /// Adds changes of which nobody knows in which columns they were.
  mutating func addColumns(of table: TableDescription) {
    isWhole = true
    columns = Set(table.shape.columns.indices).subtracting(table.shape.keys.map(\.column))
  }

  /// Adds the next change.
  ///
  /// - Parameters:
  ///   - number: the number that it gives to the row in its author's terms, if it does.
  ///   - isIssuedAgain: whether another store has issued it again. Then nothing of it is counted once more; that its values
  ///     are the same is no conflict.
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
