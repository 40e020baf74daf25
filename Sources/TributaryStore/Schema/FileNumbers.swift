import TributarySQLite

/// What the database and its `peer.json` contain besides tables. Statements of any program can change it, and
/// some of them leave neither a transaction to publish nor another schema.
package struct FileNumbers: Equatable, Sendable {
  package var schemaVersion: Int64
  package var header: HeaderNumbers
  package var spent: [String: Int64]

  /// Reads the numbers.
  ///
  /// - Complexity: at most one statement if there was no commit since the connection last read them.
  package init(_ connection: Connection) throws {
    self = try connection.remembered { try Self(reading: connection) }
  }

  private init(reading connection: Connection) throws {
    schemaVersion = try connection.integer("PRAGMA schema_version") ?? 0
    header = try connection.headerNumbers()
    spent = try SpentNumbers(connection).all()
  }
}
