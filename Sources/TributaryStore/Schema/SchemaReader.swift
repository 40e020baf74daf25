import TributaryCore
import TributaryLog
import TributarySQLite

/// Reads the tables of a database.
struct SchemaReader {
  let connection: Connection

  /// Returns the names in the order of creation, excluding SQLite's tables, the bookkeeping, virtual tables
  /// and their shadow tables.
  func tableNames() throws -> [String] { try definitions().filter(\.hasName).map(\.name) }

  /// Returns the names together with the statements that make the tables.
  func definitions() throws -> [TableDefinition] {
    // The name is passed as an argument; otherwise, SQLite goes through all tables each time, and the
    // bookkeeping has many.
    let statement = try connection.cached(
      """
      SELECT s.name, s.sql, l.strict, l.wr FROM main.sqlite_schema AS s JOIN pragma_table_list(s.name) AS l
      WHERE s.type = 'table'
        AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND s.name NOT LIKE 'tributary\\_%' ESCAPE '\\'
        AND l.schema = 'main' AND l.type = 'table'
      ORDER BY s.rowid
      """)
    defer { statement.reset() }
    var definitions: [TableDefinition] = []
    while try statement.step() { definitions.append(TableDefinition(statement)) }
    return definitions
  }

  func table(
    _ definition: TableDefinition, merge: TableMerge
  ) throws -> TableDescription {
    let (name, sql) = (definition.name, definition.sql)
    var columns: [TableDescription.Column] = []
    var keyPositions: [(order: Int64, column: Int)] = []
    var declaredTypes: [SQLName] = []
    var hasComputedConstraint = false
    let information = try connection.cached(
      #"SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?, 'main')"#)
    defer { information.reset() }
    try information.bind(.string(name), at: 1)
    while try information.step() {
      let type = information.string(1)
      let hidden = information.integer(5)
      let defaultValue =
        information.isNull(3)
        ? "NULL" : TableDescription.Column.expression(ofDefault: information.string(3))
      columns.append(
        TableDescription.Column(
          name: information.string(0),
          affinity: definition.isStrict && SQLName(type) == "ANY"
            ? .blob : Affinity(declaredType: type),
          isGenerated: hidden == 2 || hidden == 3, isVirtual: hidden == 2,
          isNotNull: information.integer(2) != 0,
          defaultExpression: information.isNull(3) ? nil : defaultValue,
          mayDifferFromDefault: SQLName(defaultValue) != "NULL",
          defaultVaries: VaryingDefault.isVarying(defaultValue)))
      declaredTypes.append(SQLName(type))
      if hidden > 1, information.integer(2) != 0 { hasComputedConstraint = true }
      if information.integer(4) > 0 {
        keyPositions.append((information.integer(4), columns.count - 1))
      }
    }
    keyPositions.sort { $0.order < $1.order }
    let choice =
      keyPositions.isEmpty
      ? try RowKeyChoice(table: name, columns: columns, chosen: merge.knownBy, connection) : nil
    var stored = columns.indices.filter { !columns[$0].isGenerated }
    var refusal =
      definition.refusal ?? TableDefinition.refusal(of: name, columns: columns.map(\.name))
      ?? choice?.refusal
    var keys: [TableShape.Key] = []
    if let choice {
      keys = zip(choice.columns, choice.collations).compactMap { column, collation in
        stored.firstIndex(of: column).map { TableShape.Key(column: $0, collation: collation) }
      }
      if let column = choice.column {
        // It comes last among the columns, whose positions SQLite knows, but first in records.
        columns.append(column)
        stored.insert(columns.count - 1, at: 0)
        keys = [TableShape.Key(column: 0, collation: .binary)]
      }
    }

    let collations = try keyCollations(of: name)
    for (order, position) in keyPositions.enumerated() {
      guard let column = stored.firstIndex(of: position.column) else { continue }
      let collation = order < collations.count ? collations[order] : "BINARY"
      guard let known = Collation(sqlName: collation) else {
        refusal = Refusal(
          "table \(name) has the collation \(collation) in its primary key",
          remedy: "use BINARY, NOCASE or RTRIM there, or leave the table out with --except")
        continue
      }
      keys.append(TableShape.Key(column: column, collation: known))
    }
    if refusal == nil, let (index, collation) = try foreignCollation(of: name) {
      refusal = Refusal(
        "table \(name) has the collation \(collation) in \(index), and no other device could make it",
        remedy:
          "use BINARY, NOCASE or RTRIM there, give the extension that has it with --load-extension where the "
          + "index is not UNIQUE, or leave the table out with --except")
    }
    if definition.isWithoutRowIdentifier, refusal == nil,
      let column = displacedColumn(columns, keys: keyPositions.map(\.column))
    {
      refusal = Refusal(
        "table \(name) is WITHOUT ROWID and has a REAL column before its key, where SQLite misreports the "
          + "column \(columns[column].name)",
        remedy: "declare the key columns first, or leave the table out with --except")
    }
    if refusal == nil, columns.count > Self.keyLimit {
      let width = try widestKey(of: name)
      if width > Self.keyLimit {
        refusal = Refusal(
          "table \(name) has a key of \(width) columns, and SQLite compares \(Self.keyLimit) at most",
          remedy: "use fewer columns in it, or leave the table out with --except")
      }
    }
    let hasHiddenKey = choice?.column != nil
    let hasRowIdentifierKey =
      hasHiddenKey
      || collations.isEmpty && keyPositions.count == 1
        && declaredTypes[keyPositions[0].column] == "INTEGER"
    var table = TableDescription(
      name: name, columns: columns,
      shape: TableShape(table: name, columns: stored.map { columns[$0].name }, keys: keys),
      hasRowIdentifierKey: hasRowIdentifierKey,
      isWithoutRowIdentifier: definition.isWithoutRowIdentifier, sql: sql,
      declaresConflicts: declaresConflicts(sql), merge: merge,
      // NOT NULL on a computed column acts as a CHECK on the columns from which it is computed.
      checkScope: hasComputedConstraint
        ? .severalColumns : CheckScope(sql: sql, columns: columns),
      isKeyReference: try hasRowIdentifierKey && !hasHiddenKey
        && (merge.references[SQLName(columns[keyPositions[0].column].name)] != nil
          || isReference(columns[keyPositions[0].column].name, of: name)),
      selfReferences: try selfReferences(
        of: name, columns: columns, keys: keyPositions.map(\.column)),
      policies: stored.map { merge.policy(of: columns[$0].name) }, refusal: refusal)
    table.isSpelled = definition.refusal == nil
    table.knownBy = choice?.knownBy
    table.hasHiddenKey = hasHiddenKey
    table.keyIndex = choice?.index
    table.identifyingColumns = identifyingColumns(of: table)
    // The numbers by which the hook refers to columns depend on the key.
    if refusal == nil { table.refusal = PreupdateIndices(table).refusal }
    if choice != nil { table.indexes = try indexes(of: name) }
    table.autoincrements =
      hasRowIdentifierKey && !hasHiddenKey
      && SQLScanner(Array(sql.utf8)).tokens.contains { $0.isWord("AUTOINCREMENT") }
    return table
  }

  /// Returns the columns that are declared to make rows the same, as far as every device can compare them.
  private func identifyingColumns(of table: TableDescription) -> [TableShape.Key] {
    let names = table.merge.identifyingColumns
    return table.shape.columns.enumerated().compactMap { place, name in
      guard names.contains(SQLName(name)),
        let collation = Collation(
          sqlName: connection.collation(of: name, in: table.name) ?? "BINARY")
      else { return nil }
      return TableShape.Key(column: place, collation: collation)
    }
  }

  /// Keys are compared by one term per column, and SQLite nests at most 1,000 terms.
  private static let keyLimit = 900

  /// Returns the number of columns of the widest primary key, UNIQUE key or foreign key.
  private func widestKey(of name: String) throws -> Int {
    Int(
      try connection.integer(
        """
        SELECT max(n) FROM (
          SELECT count(*) AS n FROM pragma_index_list(?1, 'main') AS l,
            pragma_index_info(l.name, 'main') WHERE l."unique" GROUP BY l.name
          UNION ALL SELECT count(*) FROM pragma_foreign_key_list(?1, 'main') GROUP BY id)
        """, .string(name)) ?? 0)
  }

  /// Returns a column whose old value the preupdate hook may turn into a real.
  ///
  /// Tables WITHOUT ROWID store their key columns first, but the hook (3.40) looks up the affinity of a
  /// stored value as if the columns were stored in the order of declaration.
  private func displacedColumn(_ columns: [TableDescription.Column], keys: [Int]) -> Int? {
    let others = columns.indices.filter { !keys.contains($0) && !columns[$0].isVirtual }
    return zip(keys + others, columns).first { stored, declared in
      declared.affinity == .real && columns[stored].affinity != .real
        && columns[stored].affinity != .text
    }?.0
  }

  /// In the statement that makes a table, these two words occur together nowhere else.
  private func declaresConflicts(_ sql: String) -> Bool {
    let tokens = SQLScanner(Array(sql.utf8)).tokens
    return zip(tokens, tokens.dropFirst()).contains { $0.isWord("ON") && $1.isWord("CONFLICT") }
  }

  /// Whether a single column is a foreign key by itself.
  private func isReference(_ column: String, of name: String) throws -> Bool {
    try connection.integer(
      """
      SELECT count(*) FROM pragma_foreign_key_list(?1, 'main') AS f
      WHERE f."from" = ?2 COLLATE NOCASE AND NOT EXISTS (
        SELECT 1 FROM pragma_foreign_key_list(?1, 'main') AS g WHERE g.id = f.id AND g.seq > 0)
      """, .string(name), .string(column)) ?? 0 > 0
  }

  /// Returns an index with a collation that only an application provides, as a phrase, and that collation. An
  /// index that is not UNIQUE may use the collation of an extension.
  private func foreignCollation(of name: String) throws -> (index: String, collation: String)? {
    let statement = try connection.cached(
      """
      SELECT l.origin, l.name, x.coll, l."unique"
      FROM pragma_index_list(?, 'main') AS l, pragma_index_xinfo(l.name, 'main') AS x
      WHERE x.key = 1 ORDER BY l.seq, x.seqno
      """)
    defer { statement.reset() }
    try statement.bind(.string(name), at: 1)
    while try statement.step() {
      guard Collation(sqlName: statement.string(2)) == nil else { continue }
      // An index that decides nothing only needs to exist.
      if statement.integer(3) == 0, connection.knows(collation: statement.string(2)) { continue }
      let index =
        statement.string(0) == "u" ? "a UNIQUE key" : "its index \(statement.string(1))"
      return (index, statement.string(2))
    }
    return nil
  }

  /// Returns the statements that make the indexes of a table.
  func indexes(of name: String) throws -> String {
    let statement = try connection.cached(
      """
      SELECT group_concat(sql, ';') FROM (
        SELECT sql FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = ? COLLATE NOCASE
        ORDER BY rowid)
      """)
    defer { statement.reset() }
    try statement.bind(.string(name), at: 1)
    return try statement.step() && !statement.isNull(0) ? statement.string(0) : ""
  }

  /// Returns the collations of the primary key's index; empty if the key is the row identifier.
  private func keyCollations(of name: String) throws -> [String] {
    let statement = try connection.cached(
      """
      SELECT x.coll FROM pragma_index_list(?, 'main') AS l, pragma_index_xinfo(l.name, 'main') AS x
      WHERE l.origin = 'pk' AND x.key = 1 ORDER BY x.seqno
      """)
    defer { statement.reset() }
    try statement.bind(.string(name), at: 1)
    var collations: [String] = []
    while try statement.step() { collations.append(statement.string(0)) }
    return collations
  }
}

extension Collation {
  /// Makes the built-in collation with that name; `nil` for a collation of an application.
  init?(sqlName: String) {
    switch SQLName(sqlName) {
    case "BINARY": self = .binary
    case "NOCASE": self = .nocase
    case "RTRIM": self = .rtrim
    default: return nil
    }
  }

  /// The collation's name in SQL.
  package var sqlName: String {
    switch self {
    case .binary: "BINARY"
    case .nocase: "NOCASE"
    case .rtrim: "RTRIM"
    }
  }
}
