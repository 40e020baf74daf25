import TributaryCore
import TributarySQLite

/// Runs the statements of a schema that came from elsewhere: they may make tables and the like, and
/// nothing else.
package enum SchemaStatements {
  /// - Throws: for anything but one CREATE in each text; nothing has been made then.
  package static func run(_ statements: [String], at path: String) throws {
    let connection = try Connection(path: path, mode: .create, classifies: true)
    defer { connection.close() }
    connection.classifier?.protectsBookkeeping = true
    try connection.immediate {
      for sql in statements {
        let statement = try connection.prepare(sql)
        guard isCreation(sql), statement.kind == .schema, statement.parameterCount == 0 else {
          throw SyncError(
            .foreignSchema,
            "the schema in the container holds a statement that makes nothing: \(sql)",
            path: path, remedy: "give the tables with --schema")
        }
        try statement.run()
      }
    }
  }

  /// Whether a text begins as those do that make something.
  package static func isCreation(_ sql: String) -> Bool {
    sql.split(maxSplits: 1, whereSeparator: \.isWhitespace).first.map { SQLName(String($0)) }
      == "CREATE"
  }
}
