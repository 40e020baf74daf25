import TributaryCore
import TributarySQLite

/// The part of a store's schema that could not be created on this device and that no replicated table needs:
/// virtual tables whose modules are missing, and what depends on them.
package struct UnmadeObjects {
  private let settings: Settings

  package init(_ connection: Connection) { settings = Settings(connection) }

  /// Returns the statements that would create them, in order.
  package func statements() throws -> [String] {
    // No statement contains a NUL.
    try settings.text(.unmade).map { $0.split(separator: "\0").map(String.init) } ?? []
  }

  /// Replaces the recorded statements.
  package func write(_ statements: [String]) throws {
    try settings.set(
      .unmade, statements.isEmpty ? nil : .string(statements.joined(separator: "\0")))
  }

  /// Returns what is missing here, and why.
  package func leftOut() throws -> [LeftOut] {
    try Self.leftOut(statements(), extensions: settings.connection.extensions)
  }

  /// Returns what is missing of these statements, and why.
  ///
  /// - Parameter extensions: the available SQLite extensions.
  package static func leftOut(_ statements: [String], extensions: [String]) throws -> [LeftOut] {
    try statements.compactMap { sql in
      guard let object = SchemaObject(sql: sql) else { return nil }
      return LeftOut(object.name, object.kind, try reason(object, extensions))
    }
  }

  private static func reason(_ object: SchemaObject, _ extensions: [String]) throws -> String {
    let memory = try Connection(path: ":memory:", mode: .create, extensions: extensions)
    do {
      try memory.prepare(object.sql).run()
      return "it needs something that is missing here"
    } catch {
      // In an empty database, a trigger always lacks its table.
      return object.type == "table"
        ? "it cannot be made here (\(error.message)); `tributary attach` with --load-extension makes it"
        : "it needs something that cannot be made here; `tributary attach` with --load-extension makes it"
    }
  }
}
