import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// The rows from the logs that are needed to restore a conflict: rows that are gone, parents before
/// children.
///
/// The plan is made before anything is written, since reading the logs may take long.
struct RestorePlan {
  let rows: [RestoredRow]

  /// Makes a plan.
  ///
  /// - Throws: `SyncError.logsMissing`, `SyncError.unrestorable`.
  init(for conflict: Conflict, _ history: LoggedRows) throws {
    guard conflict.kind == .delete || conflict.kind == .foreignKey else {
      rows = []
      return
    }
    let connection = history.connection
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    guard let table = schema.table(named: conflict.table), table.refusal == nil else {
      throw SyncError(
        .unrestorable, "there is no table \(conflict.table) here", path: history.path,
        remedy: "run the migration that makes it")
    }
    let search = ParentSearch(
      history, constraints: try ConstraintSet(connection, schema: schema),
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
    let changes = try history.changes(
      of: [LoggedRows.Row(table: conflict.table, key: conflict.key)])[0]
    let loser = changes.last { $0.transaction.side == conflict.loser }?.transaction
    var row = try FoldedRow(of: table, history.connection)
    for change in changes {
      guard let loser else { break }
      if change.transaction.side == loser.side || loser.knows(change.transaction.side) {
        row.apply(change)
      }
    }
    guard let values = row.values else {
      throw SyncError(
        .unrestorable,
        "the logs do not contain the row that transaction \(conflict.loser.sequence) of "
          + "\(conflict.loser.peer) wrote", path: history.path,
        remedy: "write it by hand, or keep what is visible")
    }
    return values
  }

  /// Returns the row as it would be: what is visible of it, and the losing values.
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
