import TributarySQLite

/// What the database and its `peer.json` contain besides tables. Statements of any program can change it, and
/// some of them leave neither a transaction to publish nor another schema.
package struct FileNumbers: Equatable, Sendable {
  package var schemaVersion: Int64
  package var header: HeaderNumbers
  package var spent: [String: Int64]

  /// Reads the numbers.
  ///
  /// - Complexity: one statement if there was no commit since the connection last read them.
  package init(_ connection: Connection) throws {
    // This comes first, because it brings the connection up to date with the file.
    schemaVersion = try connection.integer("PRAGMA schema_version") ?? 0
    let version = connection.dataVersion
    if !connection.isWriting, let known = connection.cache[Known.self],
      known.version == version, known.numbers.schemaVersion == schemaVersion
    {
      self = known.numbers
      return
    }
    header = try connection.headerNumbers()
    spent = try SpentNumbers(connection).all()
    connection.cache[Known.self] =
      connection.isWriting ? nil : Known(version: version, numbers: self)
  }

  private struct Known: Sendable {
    var version: UInt32
    var numbers: FileNumbers
  }
}
