import TributarySQLite

/// The progress of the handlers of imports, kept beyond the life of a process: the last import that each has
/// handled.
package struct ImportCursors {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Returns the number of the last import that a handler has handled; `nil` if none is known.
  ///
  /// - Parameter name: the name of the handler.
  package func entry(of name: String) throws -> Int64? {
    let statement = try connection.cached("SELECT value FROM tributary_store WHERE key = ?")
    defer { statement.reset() }
    try statement.bind(.string(Self.key(name)), at: 1)
    guard try statement.step(), case .integer(let entry) = statement.value(0) else { return nil }
    return entry
  }

  /// Returns the number of the last import that any handler has handled; `nil` if there is none.
  package func latest() throws -> Int64? {
    try connection.integer(
      """
      SELECT max(value) FROM tributary_store
      WHERE substr(key, 1, length(?1)) = ?1 AND typeof(value) = 'integer'
      """, .string(Self.key("")))
  }

  /// Records the last import that a handler has handled.
  package func set(_ entry: Int64, of name: String) throws {
    try connection.atomic {
      try connection.cached("INSERT OR REPLACE INTO tributary_store VALUES (?, ?)")
        .run(.string(Self.key(name)), .integer(entry))
    }
  }

  private static func key(_ name: String) -> String { "handled " + name }
}
