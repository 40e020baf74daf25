import TributaryCore
import TributarySQLite

/// How the tables of a store merge, as far as it was declared: the same on every device.
public struct MergeOptions: Hashable, Sendable {
  /// By table; letters of names count without case.
  public var tables: [String: TableMerge]

  public init(tables: [String: TableMerge] = [:]) { self.tables = tables }

  /// Whether nothing is declared.
  public var isEmpty: Bool { tables.values.allSatisfy(\.isEmpty) }

  /// What is declared of a table, whatever the case of its letters.
  public subscript(table: String) -> TableMerge {
    if let exact = tables[table] { return exact }
    let name = table.lowercased()
    return tables.first { $0.key.lowercased() == name }?.value ?? TableMerge()
  }

  /// These, with what `others` say of other tables.
  public func merging(_ others: MergeOptions) -> MergeOptions {
    let names = Set(tables.keys.map { $0.lowercased() })
    var result = self
    for (table, merge) in others.tables where !names.contains(table.lowercased()) {
      result.tables[table] = merge
    }
    return result
  }

  /// What is said of the tables and columns that a schema has.
  public func restricted(to schema: ReplicatedSchema) -> MergeOptions {
    var result = MergeOptions()
    for (name, merge) in tables {
      guard let table = schema.table(named: name) else { continue }
      let columns = Set(table.shape.columns.map { $0.lowercased() })
      var known = merge
      known.columns = merge.columns.filter { columns.contains($0.key.lowercased()) }
      result.tables[name] = known
    }
    return result
  }

  // MARK: In a store

  /// What a store has written down; nothing for a database that is none.
  public init(_ connection: Connection) throws {
    self.init()
    guard
      try connection.integer(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'tributary_merge'") == 1
    else { return }
    let statement = try connection.cached(
      #"SELECT "table", "column", rule FROM tributary_merge ORDER BY "table", "column", rule"#)
    defer { statement.reset() }
    while try statement.step() {
      let table = statement.string(0)
      let column = statement.string(1)
      let rule = statement.string(2)
      var merge = tables[table] ?? TableMerge()
      if let policy = ColumnPolicy(rawValue: rule), !column.isEmpty {
        merge.columns[column] = policy
      } else if let unit = TableMerge.Unit(rawValue: rule) {
        merge.merge = unit
      } else if let keys = TableMerge.Keys(rawValue: rule) {
        merge.keys = keys
      } else {
        throw StoreError(
          .damaged, "the bookkeeping says that table \(table) merges by \(rule)",
          path: connection.path, remedy: "install the newer Tributary that wrote it")
      }
      tables[table] = merge
    }
  }

  /// Writes them down in the place of all that was.
  public func write(to connection: Connection) throws {
    try connection.execute("DELETE FROM tributary_merge")
    for (table, merge) in tables {
      var rules = merge.policies.map { ($0.key, $0.value.rawValue) }
      if let unit = merge.merge { rules.append(("", unit.rawValue)) }
      if merge.keys == .natural { rules.append(("", merge.keys.rawValue)) }
      for (column, rule) in rules {
        try connection.cached("INSERT INTO tributary_merge VALUES (?, ?, ?)")
          .run(.string(table), .string(column), .string(rule))
      }
    }
  }
}
