import TributaryCore
import TributarySQLite
import TributaryStore

/// The visible rows that have a unique key of a held row.
struct Obstacle {
  private let table: TableDescription
  private let number: Int
  private let row: [Value]
  private let constraints: ConstraintSet
  private let database: Database

  init(_ conflict: Conflict, in database: Database) throws {
    let connection = database.connection
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    let table = try database.replicatedTable(conflict.table)
    self.table = table
    self.database = database
    number = schema.tables.firstIndex { $0.name == table.name } ?? 0
    constraints = try ConstraintSet(connection, schema: schema)
    let defaults = try DefaultRow.values(of: table, connection)
    row = zip(table.shape.columns, defaults).map { conflict.values.value(of: $0) ?? $1 }
  }

  /// Returns the keys of the rows that stand in the way.
  func keys() throws -> [[Value]] {
    try constraints.rivals(of: row, table: number).map(table.key)
  }

  /// Deletes everything that stands in the way.
  func remove() throws {
    for key in try keys() {
      let statement = try database.prepare(
        "DELETE FROM main.\(table.name.quotedIdentifier) WHERE \(table.keyCondition)")
      for (index, value) in key.enumerated() { try statement.bind(value, at: index + 1) }
      try statement.run()
    }
  }
}
