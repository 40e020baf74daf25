import TributarySQLite

/// What the database and its `peer.json` contain besides tables. Statements of any program change it, some of
/// which leave neither a transaction to publish nor another schema.
package struct FileNumbers: Equatable, Sendable {
  package var schemaVersion: Int64
  package var header: HeaderNumbers
  package var spent: [String: Int64]

  /// Reads the numbers.
  ///
  /// - Complexity: one statement if nobody has committed since the connection last read them.
  package init(_ connection: Connection) throws {
    // First, because it brings the connection up to date with the file.
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
