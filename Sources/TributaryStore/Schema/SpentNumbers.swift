import TributaryCore
import TributarySQLite

/// The largest numbers that SQLite has used in tables that never reuse a number (AUTOINCREMENT).
package struct SpentNumbers {
  package let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Whether SQLite keeps such numbers in this database.
  package var areKept: Bool {
    get throws {
      try connection.integer(
        "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'sqlite_sequence'") == 1
    }
  }

  /// Returns the numbers by table, replicated or not.
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

  /// Returns the numbers of the replicated tables.
  package func all(of schema: ReplicatedSchema) throws -> [String: Int64] {
    guard schema.tables.contains(where: \.autoincrements) else { return [:] }
    let numbers = try all()
    let tables = schema.tables.filter { $0.refusal == nil && $0.autoincrements }
    return Dictionary(
      uniqueKeysWithValues: tables.compactMap { table in
        numbers[table.name].map { (table.name, $0) }
      })
  }

  /// Makes SQLite continue counting after a number, unless it is already further.
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
