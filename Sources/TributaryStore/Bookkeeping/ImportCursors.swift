import TributarySQLite

/// How far those that handle imports have come, beyond the life of a process: the last import that each has handled.
package struct ImportCursors {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Returns the number of the last import that was handled; `nil` if none is known.
  ///
  /// - Parameter name: who handles them.
  package func entry(of name: String) throws -> Int64? {
    let statement = try connection.cached("SELECT value FROM tributary_store WHERE key = ?")
    defer { statement.reset() }
    try statement.bind(.string(Self.key(name)), at: 1)
    guard try statement.step(), case .integer(let entry) = statement.value(0) else { return nil }
    return entry
  }

  /// Returns the number of the last import that anybody has handled; `nil` if nobody has handled any.
  package func latest() throws -> Int64? {
    try connection.integer(
      """
      SELECT max(value) FROM tributary_store
      WHERE substr(key, 1, length(?1)) = ?1 AND typeof(value) = 'integer'
      """, .string(Self.key("")))
  }

  /// Records the last import that was handled.
  package func set(_ entry: Int64, of name: String) throws {
    try connection.atomic {
      try connection.cached("INSERT OR REPLACE INTO tributary_store VALUES (?, ?)")
        .run(.string(Self.key(name)), .integer(entry))
    }
  }

  private static func key(_ name: String) -> String { "handled " + name }
}
