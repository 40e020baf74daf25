import TributaryCore
import TributaryLog
import TributarySQLite

extension Reference {
  /// Selects the rows of effective constraints from `pragma_foreign_key_check` or `pragma_foreign_key_list`.
  /// A foreign key to a table that does not exist is not effective, although SQLite reports every row that
  /// has one.
  package static let bindsSomebody = bindsSomebody(parent: "parent")

  package static func bindsSomebody(parent column: String) -> String {
    "\(column) COLLATE NOCASE IN (SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view'))"
  }

  /// Returns the foreign keys of a table, in the order of SQLite's numbers for them.
  ///
  /// - Parameter unique: the unique keys of the table.
  static func references(
    of child: Int, in schema: ReplicatedSchema, unique: [UniqueKey], _ connection: Connection
  ) throws -> [Reference] {
    let table = schema.tables[child]
    let statement = try connection.prepare(
      """
      SELECT id, "table", "from", "to", on_delete FROM pragma_foreign_key_list(?, 'main')
      ORDER BY id, seq
      """)
    try statement.bind([.string(table.name)])
    var found: [(id: Int64, parent: String, from: [String], to: [String], action: String)] = []
    while try statement.step() {
      if found.last?.id != statement.integer(0) {
        found.append((statement.integer(0), statement.string(1), [], [], statement.string(4)))
      }
      found[found.count - 1].from.append(statement.string(2))
      if !statement.isNull(3) { found[found.count - 1].to.append(statement.string(3)) }
    }
    let stored = table.storedColumns
    return try found.compactMap { key in
      let primary = try primaryKey(of: key.parent, connection)
      let to = key.to.isEmpty ? primary.map(\.name) : key.to
      let columns = key.from.compactMap { name in
        table.shape.columns.firstIndex { SQLName($0) == SQLName(name) }
      }
      // SQLite does not check a reference that it calls a mismatch, nor one to a table that does not exist.
      guard columns.count == key.from.count, to.count == key.from.count,
        try !primary.isEmpty || hasUniqueKey(key.parent, connection)
      else { return nil }
      let parent = schema.tables.firstIndex {
        SQLName($0.name) == SQLName(key.parent) && $0.refusal == nil
      }
      let all = try Self.columns(of: key.parent, connection)
      return Reference(
        child: child, parent: parent, parentName: key.parent, childColumns: columns,
        parentColumns: to,
        parentCollations: to.map { all[SQLName($0)]?.collation ?? .binary },
        parentAffinities: to.map { all[SQLName($0)]?.affinity ?? .blob },
        childAffinities: columns.map { table.columns[stored[$0]].affinity },
        parentPositions: parent.flatMap { position in
          let names = schema.tables[position].shape.columns.map { SQLName($0) }
          let positions = to.compactMap { names.firstIndex(of: SQLName($0)) }
          return positions.count == to.count ? positions : nil
        },
        refersToPrimaryKey: to.map { SQLName($0) }.sorted()
          == (parent.map { schema.tables[$0].keyNames } ?? primary.map { SQLName($0.name) })
          .sorted(),
        absence: try absence(
          key.action, columns, of: table, unique,
          others: found.filter { $0.id != key.id }.flatMap(\.from), connection))
    }
  }

  private static func absence(
    _ action: String, _ columns: [Int], of table: TableDescription, _ unique: [UniqueKey],
    others: [String], _ connection: Connection
  ) throws -> Absence {
    guard action == "SET NULL" || action == "SET DEFAULT" else { return .hold }
    // Anything else that depends on the columns would change with them.
    let taken = Set(others.map { SQLName($0) })
    let isPlain = columns.allSatisfy { column in
      !table.shape.keys.contains { $0.column == column }
        && !taken.contains(SQLName(table.shape.columns[column]))
        && !unique.contains { $0.mentioned.contains(column) }
    }
    guard isPlain else { return .hold }
    let all = try DefaultRow.values(of: table, connection, isMissing: false)
    let stored = table.storedColumns
    let values = columns.map { column -> Value in
      if action == "SET NULL" { return .null }
      let declared = table.columns[stored[column]]
      // Each device would show a different value, and a different one each time.
      return declared.defaultVaries ? declared.substitute?.value ?? .null : all[column]
    }
    if zip(columns, values).contains(where: {
      $1 == .null && table.columns[stored[$0]].isNotNull
    }) {
      return .hold
    }
    return .show(values)
  }

  private static func primaryKey(
    of table: String, _ connection: Connection
  ) throws -> [(name: String, order: Int64)] {
    let statement = try connection.prepare(
      "SELECT name, pk FROM pragma_table_xinfo(?, 'main') WHERE pk > 0 ORDER BY pk")
    try statement.bind([.string(table)])
    var names: [(name: String, order: Int64)] = []
    while try statement.step() { names.append((statement.string(0), statement.integer(1))) }
    return names
  }

  private static func hasUniqueKey(_ table: String, _ connection: Connection) throws -> Bool {
    try connection.integer(
      #"SELECT 1 FROM pragma_index_list(?, 'main') WHERE "unique" AND NOT partial LIMIT 1"#,
      .string(table)) != nil
  }

  private static func columns(
    of table: String, _ connection: Connection
  ) throws -> [SQLName: (collation: Collation, affinity: Affinity)] {
    let statement = try connection.prepare(
      """
      SELECT x.name, x.type, l.strict AND upper(x.type) = 'ANY' FROM pragma_table_xinfo(?1, 'main') AS x
      LEFT JOIN pragma_table_list AS l ON l.schema = 'main' AND l.name = ?1 COLLATE NOCASE
      """)
    try statement.bind([.string(table)])
    var columns: [SQLName: (collation: Collation, affinity: Affinity)] = [:]
    while try statement.step() {
      let name = statement.string(0)
      columns[SQLName(name)] = (
        Collation(sqlName: connection.collation(of: name, in: table) ?? "BINARY") ?? .binary,
        statement.integer(2) == 1 ? .blob : Affinity(declaredType: statement.string(1))
      )
    }
    return columns
  }
}

extension TableDescription {
  fileprivate var keyNames: [SQLName] { shape.keys.map { SQLName(shape.columns[$0.column]) } }
}
