import TributarySQLite

/// An object that a statement of a schema creates.
package struct SchemaObject: Sendable {
  /// `table`, `index`, `view` or `trigger`; a virtual table is a table.
  package var type: String
  package var name: String
  /// The table or view to which it belongs; its own name if it is one.
  package var table: String
  package var sql: String

  /// Returns the objects whose statements recreate the schema of a database, in the order of first creation:
  /// tables, replicated or not, indexes, views, triggers and virtual tables, without anything that needs a
  /// collation of an application.
  ///
  /// - Complexity: one statement if the schema has not changed since the last call.
  static func all(in connection: Connection) throws -> [SchemaObject] {
    try known(in: connection).objects
  }

  /// Returns the statements of all objects, followed by those of what the store could not create, and the
  /// tables whose rows new devices get once.
  ///
  /// - Complexity: as for `all(in:)`
  static func shared(
    in connection: Connection
  ) throws -> (statements: [String], copied: [CopiedTable]) {
    let known = try known(in: connection)
    return (known.objects.map(\.sql) + known.unmade, known.copied)
  }

  private static func known(in connection: Connection) throws -> Known {
    let version = try connection.integer("PRAGMA schema_version") ?? 0
    if let known = connection.cache[Known.self], known.version == version { return known }
    // They change only together with the schema.
    let isStore = try Settings.exist(in: connection)
    let known = Known(
      version: version, objects: try read(connection),
      unmade: isStore ? try UnmadeObjects(connection).statements() : [],
      copied: isStore ? try CopiedTables(connection).all() : [])
    // What a transaction has written may be rolled back, and its version number may then be reused.
    if !connection.isWriting { connection.cache[Known.self] = known }
    return known
  }

  /// The objects that were read, and the version of SQLite's schema.
  private struct Known: Sendable {
    var version: Int64
    var objects: [SchemaObject]
    var unmade: [String]
    var copied: [CopiedTable]
  }

  private static func read(_ connection: Connection) throws -> [SchemaObject] {
    let unknown = try unknownCollations(connection).map(\.quotedLiteral)
    let statement = try connection.cached(
      """
      WITH foreigner(name, "table", isWhole) AS (
        SELECT l.name, t.name, l.origin <> 'c'
        FROM sqlite_schema AS t, pragma_index_list(t.name, 'main') AS l,
          pragma_index_xinfo(l.name, 'main') AS x
        WHERE t.type = 'table' AND x.key = 1
          AND t.name NOT LIKE 'tributary\\_%' ESCAPE '\\'
          AND upper(x.coll) IN (\(unknown.joined(separator: ", "))))
      SELECT s.type, s.name, s.tbl_name, s.sql FROM sqlite_schema AS s
      LEFT JOIN pragma_table_list AS l ON l.schema = 'main' AND l.name = s.name
      WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        AND s.name NOT LIKE 'tributary\\_%' ESCAPE '\\'
        AND s.tbl_name NOT LIKE 'tributary\\_%' ESCAPE '\\' AND ifnull(l.type, '') <> 'shadow'
        AND s.name NOT IN (SELECT name FROM foreigner)
        AND s.tbl_name NOT IN (SELECT "table" FROM foreigner WHERE isWhole)
      ORDER BY s.rowid
      """)
    defer { statement.reset() }
    var objects: [SchemaObject] = []
    while try statement.step() {
      objects.append(
        SchemaObject(
          type: statement.string(0), name: statement.string(1), table: statement.string(2),
          sql: statement.string(3)))
    }
    return objects
  }

  /// Returns the collations of indexes that neither SQLite nor an extension provides, in capital
  /// letters.
  private static func unknownCollations(_ connection: Connection) throws -> [String] {
    let statement = try connection.cached(
      """
      SELECT DISTINCT upper(x.coll) FROM sqlite_schema AS t, pragma_index_list(t.name, 'main') AS l,
        pragma_index_xinfo(l.name, 'main') AS x
      WHERE t.type = 'table' AND x.key = 1 AND t.name NOT LIKE 'tributary\\_%' ESCAPE '\\'
        AND upper(x.coll) NOT IN ('BINARY', 'NOCASE', 'RTRIM')
      """)
    defer { statement.reset() }
    var names: [String] = []
    while try statement.step() { names.append(statement.string(0)) }
    return names.filter { !connection.knows(collation: $0) }
  }
}
