import TributaryCore
import TributarySQLite

/// What of the schema of a store could not be made on this device, and belongs to no replicated table: a virtual table
/// whose module is not there, and what needs it.
package struct UnmadeObjects {
  private let settings: Settings

  package init(_ connection: Connection) { settings = Settings(connection) }

  /// The statements that would make them, in order.
  package func statements() throws -> [String] {
    // No statement has a NUL in it.
    try settings.text(.unmade).map { $0.split(separator: "\0").map(String.init) } ?? []
  }

  /// Writes them down in the place of all that were.
  package func write(_ statements: [String]) throws {
    try settings.set(
      .unmade, statements.isEmpty ? nil : .string(statements.joined(separator: "\0")))
  }

  /// What is not here, and why.
  package func leftOut() throws -> [LeftOut] {
    try Self.leftOut(statements(), extensions: settings.connection.extensions)
  }

  /// - Parameter extensions: the SQLite extensions that are there.
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
      return "it needs what is not here"
    } catch {
      // A trigger misses its table in any empty database.
      return object.type == "table"
        ? "it cannot be made here (\(error.message)); `tributary attach` with --load-extension makes it"
        : "it needs what cannot be made here; `tributary attach` with --load-extension makes it"
    }
  }
}
