import TributaryCore
import TributaryLog
import TributarySQLite

/// The replicated tables of a store at one moment.
public struct ReplicatedSchema: Sendable {
  /// In the order of creation.
  public var tables: [TableDescription]

  /// What transactions written now are written under: 16 hexadecimal digits that are equal exactly
  /// when the replicated tables have equal columns and keys.
  public var name: String

  /// Tables whose definitions have not changed since the connection read them are not read again.
  ///
  /// - Parameter merge: how tables merge; `nil` is what the store has written down.
  public init(
    _ connection: Connection, selection: TableSelection, merge: MergeOptions? = nil
  ) throws {
    let options = try merge ?? MergeOptions(connection)
    let reader = SchemaReader(connection: connection)
    let note = ObjectIdentifier(TableDescription.self)
    var known = connection.notes[note] as? [SQLName: TableDescription] ?? [:]
    tables = try reader.definitions().filter { selection.includes($0.name) }.map { name, sql in
      let merge = options[name]
      if let table = known[SQLName(name)], table.sql.utf8.elementsEqual(sql.utf8),
        table.merge == merge,
        try table.indexes == nil || table.indexes == reader.indexes(of: name)
      {
        return table
      }
      let table = try reader.table(name, sql: sql, merge: merge)
      known[SQLName(name)] = table
      return table
    }
    connection.notes[note] = known
    var hash = SegmentHash()
    for table in tables.sorted(byBytesOf: \.name) where table.refusal == nil {
      try table.shape.encoded().withUnsafeBytes { hash.update($0) }
    }
    name = hash.finish().lowerHex
  }

  /// The table of that name, whatever the case of its letters.
  public func table(named name: String) -> TableDescription? {
    tables.first { SQLName($0.name) == SQLName(name) }
  }

  /// What of a shape is not here, as a phrase: the table, or its first such column.
  func firstGone(from shape: TableShape) -> String? {
    guard let table = table(named: shape.table) else { return "table \(shape.table)" }
    let names = Set(table.shape.columns.map { SQLName($0) })
    return shape.columns.first { !names.contains(SQLName($0)) }
      .map { "column \($0) of table \(shape.table)" }
  }

  /// - Throws: for the first table that cannot be replicated.
  public func checkUsable(path: String) throws(StoreError) {
    for table in tables {
      if let refusal = table.refusal {
        throw StoreError(
          .unusableTable, refusal.message, path: path, remedy: refusal.remedy)
      }
    }
  }

  /// The statements that make the schema of a database anew, in the order of their first creation:
  /// tables, replicated or not, indexes, views, triggers and virtual tables. Without what needs a collation
  /// that only some application brings: nobody else could make it.
  public static func statements(_ connection: Connection) throws -> [String] {
    let note = ObjectIdentifier(KnownStatements.self)
    let version = try connection.integer("PRAGMA schema_version") ?? 0
    // Within a transaction a version may be one that is rolled back, and then given again.
    if !connection.isInTransaction, let known = connection.notes[note] as? KnownStatements,
      known.version == version
    {
      return known.statements
    }
    let statements = try readStatements(connection)
    connection.notes[note] =
      connection.isInTransaction ? nil : KnownStatements(version: version, statements: statements)
    return statements
  }

  /// What `statements` has read, and the version of SQLite's schema that it read.
  private struct KnownStatements: Sendable {
    var version: Int64
    var statements: [String]
  }

  private static func readStatements(_ connection: Connection) throws -> [String] {
    let statement = try connection.cached(
      """
      WITH foreigner(name, "table", isWhole) AS (
        SELECT l.name, t.name, l.origin <> 'c'
        FROM sqlite_schema AS t, pragma_index_list(t.name, 'main') AS l,
          pragma_index_xinfo(l.name, 'main') AS x
        WHERE t.type = 'table' AND x.key = 1
          AND t.name NOT LIKE 'tributary\\_%' ESCAPE '\\'
          AND upper(x.coll) NOT IN ('BINARY', 'NOCASE', 'RTRIM'))
      SELECT s.sql FROM sqlite_schema AS s
      LEFT JOIN pragma_table_list AS l ON l.schema = 'main' AND l.name = s.name
      WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        AND s.name NOT LIKE 'tributary\\_%' ESCAPE '\\'
        AND s.tbl_name NOT LIKE 'tributary\\_%' ESCAPE '\\' AND ifnull(l.type, '') <> 'shadow'
        AND s.name NOT IN (SELECT name FROM foreigner)
        AND s.tbl_name NOT IN (SELECT "table" FROM foreigner WHERE isWhole)
      ORDER BY s.rowid
      """)
    defer { statement.reset() }
    var statements: [String] = []
    while try statement.step() { statements.append(statement.string(0)) }
    return statements
  }
}
