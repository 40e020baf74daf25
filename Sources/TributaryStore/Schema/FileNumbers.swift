import TributarySQLite

/// What the database says beside its tables, and `peer.json` of it: it changes by statements of any program, some
/// of which leave neither a transaction to publish nor another schema.
package struct FileNumbers: Equatable, Sendable {
  package var schemaVersion: Int64
  package var header: HeaderNumbers
  package var spent: [String: Int64]

  /// - Complexity: one statement where nobody has committed since the connection read them last.
  package init(_ connection: Connection) throws {
    // First: it brings the connection up to date with the file.
    schemaVersion = try connection.integer("PRAGMA schema_version") ?? 0
    let version = connection.dataVersion
    let note = ObjectIdentifier(Known.self)
    if !connection.isWriting, let known = connection.notes[note] as? Known,
      known.version == version, known.numbers.schemaVersion == schemaVersion
    {
      self = known.numbers
      return
    }
    header = try connection.headerNumbers()
    spent = try SpentNumbers(connection).all()
    connection.notes[note] =
      connection.isWriting ? nil : Known(version: version, numbers: self)
  }

  private struct Known: Sendable {
    var version: UInt32
    var numbers: FileNumbers
  }
}
