import TributaryCore
import TributarySQLite

/// How the tables of a store merge, as far as that was declared. It is the same on every device.
public struct MergeOptions: Hashable, Sendable {
  /// The declarations, by table.
  public var tables: [SQLName: TableMerge]
  /// What happens to rows without parents; `nil` means what the other devices have chosen, or otherwise what
  /// the data requires.
  public var foreignKeys: ForeignKeys?

  /// A table that was given twice; this is refused once the tables are known.
  private(set) var repetition: SQLName?

  /// Makes options.
  ///
  /// - Parameter tables: each table once, in upper or lower case.
  public init(
    tables: KeyValuePairs<String, TableMerge> = [:], foreignKeys: ForeignKeys? = nil
  ) {
    self.foreignKeys = foreignKeys
    self.tables = [:]
    for (name, merge) in tables
    where self.tables.updateValue(merge, forKey: SQLName(name)) != nil {
      repetition = SQLName(name)
    }
  }

  /// Whether nothing is declared.
  public var isEmpty: Bool { foreignKeys == nil && tables.values.allSatisfy(\.isEmpty) }

  /// The declarations for a table.
  public subscript(table: String) -> TableMerge {
    self[SQLName(table)]
  }

  /// The declarations for a table.
  public subscript(table: SQLName) -> TableMerge { tables[table] ?? TableMerge() }

  /// Returns these declarations, completed with what `others` declare for other tables and have chosen for
  /// all.
  package func merging(_ others: MergeOptions) -> MergeOptions {
    var result = self
    result.tables.merge(others.tables) { own, other in own.completed(by: other) }
    result.foreignKeys = foreignKeys ?? others.foreignKeys
    return result
  }

  /// Returns these declarations, completed with what `others` have chosen for the tables that are named here.
  func completed(by others: MergeOptions) -> MergeOptions {
    var result = self
    for (name, merge) in tables { result.tables[name] = merge.completed(by: others[name]) }
    return result
  }

  /// Returns the declarations for the tables and columns that a schema has.
  package func restricted(to schema: ReplicatedSchema) -> MergeOptions {
    var result = self
    result.tables = [:]
    for (name, merge) in tables {
      guard let table = schema.table(named: name.text) else { continue }
      let columns = Set(table.shape.columns.map { SQLName($0) })
      var known = merge
      known.columns = merge.columns.filter { columns.contains($0.key) }
      known.identifyingColumns.formIntersection(columns)
      // The tables that they refer to may be yet to come.
      known.references = merge.references.filter { columns.contains($0.key) }
      result.tables[name] = known
    }
    return result
  }

  // MARK: In a store

  /// Reads the declarations of a store; there are none in a database that is not a store.
  package init(_ connection: Connection) throws {
    self.init()
    try read(connection, setting: nil)
  }

  private static let declarations = #"SELECT "table", "column", rule FROM tributary_merge"#
  /// Uses one search for both settings; any other settings between them are skipped.
  private static let declarationsAndSettings = """
    \(declarations) UNION ALL
    SELECT NULL, key, value FROM tributary_store WHERE key BETWEEN 'migrated' AND 'names'
    """

  /// Reads the declarations of a store, and in the same query what it has recorded about migrations.
  ///
  /// - Parameter setting: receives the settings `names` and `migrated`, if they exist.
  mutating func read(
    _ connection: Connection, setting: ((Settings.Key, String) throws -> Void)?
  ) throws {
    do {
      try readRules(connection, setting: setting)
    } catch let error as SQLiteError where error.isOfStatement {
      // Checking for the table first would cost more than reading it.
      guard
        try connection.integer(
          "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'tributary_merge'") == nil
      else { throw error }
    }
  }

  private mutating func readRules(
    _ connection: Connection, setting: ((Settings.Key, String) throws -> Void)?
  ) throws {
    let statement = try connection.cached(
      setting == nil ? Self.declarations : Self.declarationsAndSettings)
    defer { statement.reset() }
    var keys: [SQLName: [(place: Int, column: SQLName)]] = [:]
    while try statement.step() {
      if statement.isNull(0) {
        if let key = Settings.Key(rawValue: statement.string(1)) {
          try setting?(key, statement.string(2))
        }
        continue
      }
      let table = SQLName(statement.string(0))
      let column = SQLName(statement.string(1))
      let rule = statement.string(2)
      if table.text.isEmpty, let rule = ForeignKeys(rawValue: rule) {
        foreignKeys = rule
        continue
      }
      var merge = tables[table] ?? TableMerge()
      // A column may have an empty name.
      if let policy = ColumnPolicy(rawValue: rule) {
        merge.columns[column] = policy
      } else if let unit = TableMerge.Unit(rawValue: rule) {
        merge.merge = unit
      } else if let keys = TableMerge.Keys(rawValue: rule) {
        merge.keys = keys
      } else if let bits = TableMerge.positiveBits(of: rule) {
        merge.positiveBits = bits
      } else if rule == TableMerge.identifyingRule {
        merge.identifyingColumns.insert(column)
      } else if let knownBy = KnownBy(word: rule) {
        merge.knownBy = knownBy
      } else if let place = KnownBy.place(of: rule) {
        keys[table, default: []].append((place, column))
      } else if let reference = DeclaredReference(rule: rule) {
        merge.references[column] = reference
      } else {
        throw StoreError(
          .damaged, "the bookkeeping says that table \(table) merges by \(rule)",
          path: connection.path, remedy: "install the newer Tributary that wrote it")
      }
      tables[table] = merge
    }
    for (table, columns) in keys {
      tables[table]?.knownBy = .unique(columns.sorted { $0.place < $1.place }.map(\.column))
    }
  }

  /// Replaces the recorded declarations.
  package func write(to connection: Connection) throws {
    let wasDeclared =
      try connection.integer(
        """
        SELECT 1 FROM tributary_merge WHERE "table" = '' AND "column" = '' AND rule IN ('keep', 'enforce')
        """) != nil
    try connection.execute("DELETE FROM tributary_merge")
    // Enforcing is the default, and is recorded only to replace the other choice: a missing entry might have
    // been lost.
    if let foreignKeys, foreignKeys == .keep || wasDeclared {
      try connection.cached("INSERT INTO tributary_merge VALUES ('', '', ?)")
        .run(.string(foreignKeys.rawValue))
    }
    for (table, merge) in tables {
      var rules = merge.policies.map { ($0.key.folded, $0.value.rawValue) }
      if let unit = merge.merge { rules.append(("", unit.rawValue)) }
      if merge.keys == .natural { rules.append(("", merge.keys.rawValue)) }
      if let word = merge.positiveWord { rules.append(("", word)) }
      rules += merge.knownBy?.rules ?? []
      rules += merge.identifyingColumns.map { ($0.text, TableMerge.identifyingRule) }
      rules += merge.references.map { ($0.key.text, $0.value.rule) }
      for (column, rule) in rules {
        try connection.cached("INSERT INTO tributary_merge VALUES (?, ?, ?)")
          .run(.string(table.text), .string(column), .string(rule))
      }
    }
  }
}
