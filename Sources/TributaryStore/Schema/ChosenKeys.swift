import TributaryCore
import TributarySQLite

/// The choices that a store has made for its tables without a PRIMARY KEY, and what preserves them.
enum ChosenKeys {
  /// Reads the tables of a store. For new ones, chooses what identifies their rows, and records the choice.
  ///
  /// This needs an open transaction.
  static func settle(
    _ selection: TableSelection, in connection: Connection
  ) throws -> ReplicatedSchema {
    let schema = try ReplicatedSchema(connection, selection: selection)
    let recorded = try MergeOptions(connection)
    guard
      schema.tables.contains(where: { $0.knownBy != nil })
        || recorded.tables.values.contains(where: { $0.knownBy != nil })
    else { return schema }
    let stopped = try Set(StoppedTables(connection).names().map { SQLName($0) })
    let chosen = try choose(
      for: schema, besides: present(recorded, among: schema, stopped), connection)
    let isNew = chosen != recorded
    if isNew { try chosen.write(to: connection) }
    let present =
      isNew ? try ReplicatedSchema(connection, selection: selection, merge: chosen) : schema
    try keepRowIdentifiers(of: present, in: connection)
    return present
  }

  /// Returns the choices except those for tables that are gone, since a different table may get the name. The
  /// logs still mean a table that has stopped.
  private static func present(
    _ recorded: MergeOptions, among schema: ReplicatedSchema, _ stopped: Set<SQLName>
  ) -> MergeOptions {
    var options = recorded
    for (name, merge) in recorded.tables
    where !stopped.contains(name) && merge.knownBy != .rowIdentifier
      && schema.table(named: name.text)?.knownBy == nil
    {
      options.tables[name]?.knownBy = nil
    }
    return options
  }

  /// Returns the declarations with a choice for each table that needs one: the first UNIQUE key whose columns
  /// cannot be NULL; otherwise the first one without NULL in any row; otherwise the rows themselves.
  static func choose(
    for schema: ReplicatedSchema, besides declared: MergeOptions, _ connection: Connection
  ) throws -> MergeOptions {
    var options = declared
    for table in schema.tables where table.knownBy != nil {
      let name = SQLName(table.name)
      guard declared[name].knownBy == nil else { continue }
      let candidates = try UniqueCandidate.all(of: table.name, table.columns, connection)
      let key = try UniqueCandidate.inOrderOfChoice(candidates).first {
        try !$0.isNull(in: table.name, connection)
      }
      options.tables[name, default: TableMerge()].knownBy =
        key.map { .unique($0.names) } ?? .themselves
    }
    return options
  }

  /// Keeps VACUUM from renumbering rows, as it does in tables without any index.
  ///
  /// The index that does so never has an entry.
  ///
  /// Source: https://www.sqlite.org/lang_vacuum.html
  static func keepRowIdentifiers(of schema: ReplicatedSchema, in connection: Connection) throws {
    for table in schema.tables where table.hasHiddenKey && table.refusal == nil {
      let index = "\(prefix)\(table.name)"
      guard
        try connection.integer(
          "SELECT 1 FROM main.sqlite_schema WHERE type = 'index' AND name = ? COLLATE NOCASE",
          .string(index)) == nil
      else { continue }
      try connection.execute(
        "CREATE INDEX main.\(index.quotedIdentifier) ON \(table.name.quotedIdentifier) ((1)) WHERE 0"
      )
    }
  }

  private static let prefix = "tributary_rows_"
}
