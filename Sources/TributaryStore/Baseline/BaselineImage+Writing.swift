import TributaryCore
import TributarySQLite

extension BaselineImage {
  /// Copies what a store shares into a database.
  ///
  /// Everything is read in one snapshot, and no other connection has to wait.
  ///
  /// - Parameters:
  ///   - connection: a connection to the store for this purpose alone.
  ///   - path: the path of an empty file.
  ///   - facts: called at the beginning of the snapshot; it may read whatever it needs. If it returns `nil`,
  ///     nothing is copied.
  /// - Returns: the number of copied rows; `nil` if `facts` returned `nil`, or if the schema has changed.
  package static func write(
    from connection: Connection, to path: String, facts: () throws -> [String: Value]?
  ) throws -> Int? {
    let version = try connection.integer("PRAGMA main.schema_version")
    let objects = try SchemaObject.all(in: connection)
    let virtual = try Set(VirtualTable.all(in: connection).map { SQLName($0.name) })
    let image = try Connection(path: path, mode: .create, extensions: connection.extensions)
    defer { image.close() }
    // If the process is killed here, it leaves a file that does not count, so nothing needs to be undone.
    try image.execute(
      "PRAGMA encoding = '\(encoding(connection))'; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"
    )
    let replicated = Set(
      try ReplicatedSchema(connection, selection: TableSelection(connection)).tables
        .filter { $0.refusal == nil }.map { SQLName($0.name) })
    for object in objects where object.type == "table" && !virtual.contains(SQLName(object.name)) {
      try make(object, in: image, isNeeded: replicated.contains(SQLName(object.name)))
    }
    try BookkeepingSchema.make(in: image)
    let rows = try attached(path, to: connection) { () -> Int? in
      try connection.execute("PRAGMA \(name).journal_mode = OFF; PRAGMA \(name).synchronous = OFF")
      try connection.execute("BEGIN")
      guard try connection.integer("PRAGMA main.schema_version") == version,
        let facts = try facts()
      else { return nil }
      let rows = try copyTables(connection)
      try copyBookkeeping(connection)
      for (key, value) in facts.sorted(by: { $0.key < $1.key }) {
        try connection.prepare("INSERT INTO \(name).\(Self.facts) VALUES (?, ?)")
          .run(.string(key), value)
      }
      try connection.execute("COMMIT")
      return rows
    }
    guard let rows else { return nil }
    // The contents of a virtual table are not replicated: the new store fills it row by row, and makes the
    // rest.
    if virtual.isEmpty { try complete(image, objects, replicated, connection) }
    try check(image, connection.path)
    return rows
  }

  /// Makes an object of the schema. An object that belongs to a table outside replication may need a
  /// collation or a function that only the application has; the image then does without the object.
  private static func make(
    _ object: SchemaObject, in image: Connection, isNeeded: Bool
  ) throws {
    do {
      try image.execute(object.sql)
    } catch {
      if isNeeded || !error.isOfStatement { throw error }
    }
  }

  /// Copies the rows that logs can contain.
  private static func copyTables(_ connection: Connection) throws -> Int {
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    var rows = 0
    for table in schema.tables where table.refusal == nil {
      try connection.execute(copying(table))
      rows += connection.changes
      guard table.autoincrements else { continue }
      for sql in [
        "DELETE FROM \(name).sqlite_sequence WHERE name = ? COLLATE NOCASE",
        """
        INSERT INTO \(name).sqlite_sequence
        SELECT * FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE
        """,
      ] { try connection.prepare(sql).run(.string(table.name)) }
    }
    return rows
  }

  /// Returns the statement that copies a table. If it selects nothing but `*`, SQLite copies rows a whole
  /// page at a time, without taking them apart.
  private static func copying(_ table: TableDescription) -> String {
    let (target, source) = (
      "\(name).\(table.name.quotedIdentifier)", "main.\(table.name.quotedIdentifier)"
    )
    let nullable =
      table.hasRowIdentifierKey || table.isWithoutRowIdentifier
      ? []
      : table.shape.keys.map { table.columns[table.storedColumns[$0.column]] }
        .filter { !$0.isNotNull }
    if nullable.isEmpty, !table.hasHiddenKey, !table.columns.contains(where: \.isGenerated) {
      return "INSERT INTO \(target) SELECT * FROM \(source)"
    }
    let columns = table.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    // Each name is qualified, because SQLite takes an unknown quoted name for text.
    let values = table.shape.columns.map { "r.\($0.quotedIdentifier)" }.joined(separator: ", ")
    let conditions = nullable.map { "r.\($0.name.quotedIdentifier) IS NOT NULL" }
    return "INSERT INTO \(target) (\(columns)) SELECT \(values) FROM \(source) AS r"
      + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
  }

  private static func copyBookkeeping(_ connection: Connection) throws {
    for (table, columns) in bookkeeping {
      let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
      // Conflicts that have ended are remembered only by this device.
      let condition = columns.contains("ended") ? " WHERE ended = 0" : ""
      try connection.execute(
        "INSERT INTO \(name).\(table) (\(list)) SELECT \(list) FROM main.\(table)\(condition)")
    }
  }

  /// Makes the indexes, views and triggers.
  private static func complete(
    _ image: Connection, _ objects: [SchemaObject], _ replicated: Set<SQLName>, _ store: Connection
  ) throws {
    // A large cache makes this slower, not faster.
    try image.execute("PRAGMA cache_size = -2000")
    for object in objects where object.type != "table" {
      try make(object, in: image, isNeeded: replicated.contains(SQLName(object.table)))
    }
    let schema = try ReplicatedSchema(store, selection: TableSelection(store))
    try ChosenKeys.keepRowIdentifiers(of: schema, in: image)
  }

  /// Checks the database: damage from a bad disk must not reach other devices.
  private static func check(_ image: Connection, _ path: String) throws {
    try IntegrityCheck(connection: image).forEachError { error in
      throw StoreError.damaged("a copy of the store is damaged (\(error))", path: path)
    }
  }
}
