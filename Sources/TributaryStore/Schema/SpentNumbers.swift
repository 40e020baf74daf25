import TributaryCore
import TributarySQLite

/// The largest numbers that SQLite has given in tables that never give one again (AUTOINCREMENT).
package struct SpentNumbers {
  package let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Whether SQLite remembers any in this database.
  package var areKept: Bool {
    get throws {
      try connection.integer(
        "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'sqlite_sequence'") == 1
    }
  }

  /// By table, whether it is replicated or not.
  package func all() throws -> [String: Int64] {
    guard try areKept else { return [:] }
    let statement = try connection.cached(
      """
      SELECT name, max(seq) FROM main.sqlite_sequence
      WHERE name NOT LIKE 'tributary\\_%' ESCAPE '\\' AND typeof(seq) = 'integer' AND seq > 0
      GROUP BY name
      """)
    defer { statement.reset() }
    var numbers: [String: Int64] = [:]
    while try statement.step() { numbers[statement.string(0)] = statement.integer(1) }
    return numbers
  }

  /// Those of the replicated tables.
  package func all(of schema: ReplicatedSchema) throws -> [String: Int64] {
    guard schema.tables.contains(where: \.autoincrements) else { return [:] }
    let numbers = try all()
    let tables = schema.tables.filter { $0.refusal == nil && $0.autoincrements }
    return Dictionary(
      uniqueKeysWithValues: tables.compactMap { table in
        numbers[table.name].map { (table.name, $0) }
      })
  }

  /// Has SQLite count on behind a number, unless it is further already.
  package func spend(_ number: Int64, of table: String) throws {
    let name = Value.string(table)
    try connection.cached("UPDATE main.sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1")
      .run(name, .integer(number))
    try connection.cached(
      """
      INSERT INTO main.sqlite_sequence (name, seq) SELECT ?1, ?2
      WHERE NOT EXISTS (SELECT 1 FROM main.sqlite_sequence WHERE name = ?1)
      """
    ).run(name, .integer(number))
  }
}
