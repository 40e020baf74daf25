import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// The rows from the logs that are needed to restore a conflict: rows that are gone, parents before
/// children.
///
/// The plan is made before anything is written, since reading the logs may take a long time.
struct RestorePlan {
  let rows: [RestoredRow]

  /// Creates a plan.
  ///
  /// - Throws: `SyncError` with the code `logsMissing`, `SyncError` with the code `unrestorable`.
  init(for conflict: Conflict, _ history: LoggedRows) throws {
    guard conflict.kind == .delete || conflict.kind == .foreignKey else {
      rows = []
      return
    }
    let connection = history.connection
    guard let table = history.schema.table(named: conflict.table), table.refusal == nil else {
      throw SyncError(
        .unrestorable, "there is no table \(conflict.table) here", path: history.path,
        remedy: "run the migration that makes it")
    }
    let search = ParentSearch(
      history, constraints: try ConstraintSet(connection, schema: history.schema),
      conflicts: try ConflictTable(connection).conflicts())
    if conflict.kind == .delete {
      let values = try Self.row(conflict, table, history)
      try search.addParents(of: table, row: values)
      rows = search.rows + [RestoredRow(table: table, values: values)]
    } else {
      try search.addParents(of: table, row: Self.whole(conflict, table, connection))
      rows = search.rows
    }
  }

  /// Returns the deleted row as the author of the losing write had it.
  private static func row(
    _ conflict: Conflict, _ table: TableDescription, _ history: LoggedRows
  ) throws -> [Conflict.Cell] {
    var changes: [RowHistory.Change] = []
    if let number = history.schema.tableNumber(named: table.name) {
      let row = try table.identity(key: conflict.key, number: number)
      changes = try history.histories(of: [row])[row]?.changes ?? []
    }
    let defaults = try DefaultRow.values(of: table, history.connection)
    let loser = changes.last { $0.side == conflict.loser }?.author
    var row: [Value]?
    for change in changes {
      guard let loser else { break }
      if change.side == loser.side || loser.knows(change.side) {
        row = change.applied(to: row, of: table, defaults: defaults)
      }
    }
    guard let row else {
      throw SyncError(
        .unrestorable,
        "the logs do not contain the row that transaction \(conflict.loser.sequence) of "
          + "\(conflict.loser.peer) wrote", path: history.path,
        remedy: "write it by hand, or keep what is visible")
    }
    return table.cells(row)
  }

  /// Returns the row as it would be: what is visible of it, combined with the losing values.
  static func whole(
    _ conflict: Conflict, _ table: TableDescription, _ connection: Connection
  ) throws -> [Conflict.Cell] {
    guard !conflict.isHeld, let row = try RowReader(table).row(conflict.key, in: connection) else {
      return conflict.values
    }
    return zip(table.shape.columns, row).map {
      Conflict.Cell(column: $0, value: conflict.values.value(of: $0) ?? $1)
    }
  }
}
