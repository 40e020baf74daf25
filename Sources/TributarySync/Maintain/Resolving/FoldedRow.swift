import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// A row after applying changes in ascending order of stamp.
struct FoldedRow {
  let table: TableDescription
  /// The values of columns that an insert does not name.
  private let defaults: [Conflict.Cell]
  /// The values by column; `nil` while the row is dead.
  private(set) var values: [Conflict.Cell]?

  /// Makes a dead row.
  init(of table: TableDescription, _ connection: Connection) throws {
    self.table = table
    defaults = zip(table.shape.columns, try DefaultRow.values(of: table, connection)).map {
      Conflict.Cell(column: $0, value: $1)
    }
  }

  /// Applies a change, ignoring columns that do not exist here.
  mutating func apply(_ change: LoggedChange) {
    switch change.operation {
    case .insert, .replace: set(change.values, in: values ?? defaults) { new, _, _ in new }
    case .update:
      guard let values else { return }
      set(change.values, in: values) { new, old, policy in policy.merged(new, into: old) }
    case .delete: values = nil
    }
  }

  private mutating func set(
    _ new: [Conflict.Cell], in old: [Conflict.Cell],
    _ combine: (Value, Value, ColumnPolicy) -> Value
  ) {
    var row = old
    for cell in new {
      guard
        let column = row.firstIndex(where: { SQLName($0.column) == SQLName(cell.column) })
      else { continue }
      row[column].value = combine(cell.value, row[column].value, table.policies[column])
    }
    values = row
  }
}
