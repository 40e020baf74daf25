import TributaryContainer
import TributaryCore
import TributarySQLite

/// Runs the statements of a schema that came from elsewhere: they may make tables and the like, and
/// nothing else. The application's numbers come with them.
package enum SchemaStatements {
  /// - Throws: for anything but one CREATE in each text; nothing has been made then.
  package static func run(_ schema: ManifestSchema, at path: String) throws {
    let connection = try Connection(path: path, mode: .create, classifies: true)
    defer { connection.close() }
    try run(schema, in: connection)
  }

  /// - Parameter connection: one that classifies statements.
  package static func run(_ schema: ManifestSchema, in connection: Connection) throws {
    connection.classifier?.protectsBookkeeping = true
    try connection.immediate {
      for sql in schema.sql {
        let statement = try connection.prepare(sql)
        guard isCreation(sql), statement.kind == .schema, statement.parameterCount == 0 else {
          throw SyncError(
            .foreignSchema,
            "the schema in the container holds a statement that makes nothing: \(sql)",
            path: connection.path, remedy: "give the tables with --schema")
        }
        try statement.run()
      }
      for sql in schema.numbers.statements { try connection.execute(sql) }
    }
  }

  /// Whether a text begins as those do that make something.
  package static func isCreation(_ sql: String) -> Bool {
    sql.split(maxSplits: 1, whereSeparator: \.isWhitespace).first.map { SQLName(String($0)) }
      == "CREATE"
  }
}

extension ManifestSchema {
  /// Those of the application.
  package var numbers: HeaderNumbers {
    HeaderNumbers(userVersion: userVersion, applicationID: applicationID)
  }
}
