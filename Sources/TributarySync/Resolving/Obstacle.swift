import TributaryCore
import TributarySQLite
import TributaryStore

/// Finds what has the unique key of a row that is not in its table.
///
/// SQLite is asked by inserting the row, and all is taken back: it alone knows what partial indexes
/// and those on expressions say.
struct Obstacle {
  let table: TableDescription
  let values: [Conflict.Cell]
  let database: Database

  private static let savepoint = "tributary_obstacle"

  /// The key of a row that stands in the way; `nil` when there is none.
  func key() throws -> [Value]? {
    let own = table.shape.keys.map { values.value(of: table.shape.columns[$0.column]) ?? .null }
    let columns = table.shape.columns.filter { values.value(of: $0) != nil }
    let keys = table.shape.keys.map { table.shape.columns[$0.column].quotedIdentifier }
    let connection = database.connection
    connection.setTriggers(firing: false)
    defer { connection.setTriggers(firing: true) }
    try database.execute("SAVEPOINT \(Self.savepoint)")
    let statement = try connection.prepare(
      """
      INSERT OR ABORT INTO main.\(table.name.quotedIdentifier)
      (\(columns.map(\.quotedIdentifier).joined(separator: ", ")))
      VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
      ON CONFLICT DO UPDATE SET \(keys[0]) = \(keys[0])
      RETURNING \(keys.joined(separator: ", "))
      """)
    try statement.bind(columns.map { values.value(of: $0) ?? .null })
    var found: [Value]?
    do {
      if try statement.step() { found = statement.values }
    } catch {
      // Uniqueness is looked at first, so it is another constraint, a missing parent for one.
      guard error.isConstraintViolation else { throw error }
    }
    statement.reset()
    try database.execute("ROLLBACK TO \(Self.savepoint); RELEASE \(Self.savepoint)")
    return found == own ? nil : found
  }

  /// Deletes all that stands in the way.
  func remove() throws {
    while let key = try key() {
      let statement = try database.prepare(
        "DELETE FROM main.\(table.name.quotedIdentifier) WHERE \(table.keyCondition)")
      for (index, value) in key.enumerated() { try statement.bind(value, at: index + 1) }
      try statement.run()
      // A trigger may have prevented it, and then it always will.
      guard database.changes > 0 else { return }
    }
  }
}
