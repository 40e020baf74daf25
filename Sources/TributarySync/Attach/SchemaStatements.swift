import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// Runs the statements of a schema from elsewhere: they may create tables and the like, and do nothing else.
/// Also sets the application's numbers.
package enum SchemaStatements {
  /// Creates the schema in a database.
  ///
  /// - Returns: the statements that cannot be run here and that no replicated table needs, such as a virtual
  ///   table whose module is missing, and triggers that name it.
  /// - Throws: if any text is not exactly one CREATE. Nothing has been created then.
  @discardableResult
  package static func run(_ schema: ManifestSchema, at path: String) throws -> [String] {
    let connection = try Connection(path: path, mode: .create, classifies: true)
    defer { connection.close() }
    return try run(schema, in: connection)
  }

  /// Creates the schema on a connection.
  ///
  /// - Parameter connection: a connection that classifies statements.
  package static func run(
    _ schema: ManifestSchema, in connection: Connection
  ) throws -> [String] {
    connection.classifier?.protectsBookkeeping = true
    let replicated = Set(schema.tables.map { SQLName($0) })
    var unmade: [String] = []
    try connection.immediate {
      unmade = try make(schema.sql, in: connection) { replicated.contains(SQLName($0.table)) }
      for sql in schema.numbers.statements { try connection.execute(sql) }
    }
    return unmade
  }

  /// Tries again to create what a store could not create, for example because an extension was missing.
  package static func makeUnmade(in store: Connection) throws {
    let statements = try UnmadeObjects(store).statements()
    guard !statements.isEmpty else { return }
    let connection = try Connection(path: store.path, mode: .readWrite, classifies: true)
    defer { connection.close() }
    connection.classifier?.protectsBookkeeping = true
    try connection.immediate {
      let left = try make(statements, in: connection) { _ in false }
      connection.classifier?.protectsBookkeeping = false
      if left.count < statements.count { try UnmadeObjects(connection).write(left) }
    }
  }

  /// Runs statements.
  ///
  /// - Parameter isNeeded: decides what must not be left out, except for triggers.
  /// - Returns: the statements that cannot be run, with the triggers that name what they would create.
  private static func make(
    _ statements: [String], in connection: Connection, isNeeded: (SchemaObject) -> Bool
  ) throws -> [String] {
    var unmade: [String] = []
    var names: Set<SQLName> = []
    for sql in statements {
      let object = SchemaObject(sql: sql)
      if let object, object.type == "trigger", object.mentions(names) {
        unmade.append(sql)
        continue
      }
      do {
        try make(sql, in: connection)
      } catch let error as SQLiteError where error.isOfStatement {
        guard let object, object.type == "trigger" || !isNeeded(object) else {
          throw error.advising("give the extension that has what is missing with --load-extension")
        }
        unmade.append(sql)
        names.insert(SQLName(object.name))
      }
    }
    return unmade
  }

  private static func make(_ sql: String, in connection: Connection) throws {
    let statement = isCreation(sql) ? try connection.prepare(sql) : nil
    guard let statement, statement.kind == .schema, statement.parameterCount == 0 else {
      throw SyncError(
        .foreignSchema,
        "the schema in the container contains a statement that creates nothing: \(sql)",
        path: connection.path, remedy: "give the tables with --schema")
    }
    try statement.run()
  }

  /// Whether a text begins like a statement that creates something.
  package static func isCreation(_ sql: String) -> Bool {
    sql.split(maxSplits: 1, whereSeparator: \.isWhitespace).first.map { SQLName(String($0)) }
      == "CREATE"
  }
}

extension ManifestSchema {
  /// The tables whose rows new devices get once, in order of name.
  var copies: [CopiedTable] {
    copied.map { CopiedTable(name: $0.key, columns: $0.value.columns, rows: $0.value.rows) }
      .sorted { $0.name < $1.name }
  }

  /// The application's numbers.
  package var numbers: HeaderNumbers {
    HeaderNumbers(userVersion: userVersion, applicationID: applicationID)
  }
}
