import TributaryCore
import TributarySQLite

/// Lets the triggers of an application maintain tables that are not replicated, such as full-text and spatial
/// indexes, while all other triggers stay silent, because their effects are in the logs.
///
/// On a connection whose triggers are switched off, temporary triggers still fire. So the triggers that write
/// to tables outside replication are copied as temporary ones, without the statements that write to
/// replicated tables.
///
/// Source: https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfigenabletrigger
package struct ImportTriggers {
  private let connection: Connection
  /// The choice of tables; `nil` means the store's own.
  private let selection: TableSelection?

  /// Makes the import triggers.
  ///
  /// - Parameters:
  ///   - connection: a connection to a store whose triggers are switched off; any connection is enough for
  ///     inspection only.
  ///   - selection: the choice of replicated tables, if it is not recorded yet.
  package init(_ connection: Connection, selection: TableSelection? = nil) {
    self.connection = connection
    self.selection = selection
  }

  private static let prefix = "tributary_write_"
  private static let deletionPrefix = "tributary_delete_"
  /// The database of `RowsAside`, and the prefix of its tables and their triggers.
  static let asideSchema = "tributary_aside"
  static let asidePrefix = "tributaryaside_"
  /// A temporary table: while it contains a row, no copy fires.
  static let silence = "tributary_silence"
  private static let isLoud = "NOT EXISTS (SELECT 1 FROM temp.\(silence))"

  /// Copies the triggers, unless the schema has not changed since the last time.
  package func renew() throws {
    let version = try connection.integer("PRAGMA main.schema_version") ?? 0
    // The version is stored with the copies, and rolled back with them.
    guard try connection.integer("PRAGMA temp.user_version") != version else { return }
    try remove()
    let copied = try survey().copied
    if !copied.isEmpty {
      try connection.execute("CREATE TEMP TABLE IF NOT EXISTS \(Self.silence) (silent INTEGER)")
    }
    for trigger in copied {
      try connection.execute(
        trigger.copy(
          named: (trigger.firesOnDelete ? Self.deletionPrefix : Self.prefix) + trigger.name,
          when: Self.isLoud))
    }
    try connection.execute("PRAGMA temp.user_version = \(version)")
  }

  /// Whether there is anything to copy; if so, rows must be written one by one.
  package func areNeeded() throws -> Bool { try !survey().copied.isEmpty }

  /// Whether any copy fires for rows of a table.
  package func fire(on table: String) throws -> Bool { try fire(on: table, named: "") }

  /// Whether any copy fires for deleted rows of a table.
  func fireOnDelete(of table: String) throws -> Bool {
    try fire(on: table, named: Self.deletionPrefix)
  }

  private func fire(on table: String, named prefix: String) throws -> Bool {
    let statement = try connection.cached(
      """
      SELECT 1 FROM temp.sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE
        AND substr(name, 1, length(?2)) = ?2 LIMIT 1
      """)
    defer { statement.reset() }
    try statement.bind([.string(table), .string(prefix)])
    return try statement.step()
  }

  /// Copies the triggers of a table to the table where its rows wait, unless that exists.
  func makeAside(
    for table: TableDescription, as name: String, makeTable: () throws -> Void
  ) throws {
    if try fire(on: Self.asidePrefix + table.name) { return }
    let isAttached = try connection.integer(
      "SELECT 1 FROM pragma_database_list WHERE name = '\(Self.asideSchema)'")
    if isAttached == nil { try connection.execute("ATTACH ':memory:' AS \(Self.asideSchema)") }
    try makeTable()
    for trigger in try survey().copied where SQLName(trigger.table) == SQLName(table.name) {
      try connection.execute(
        trigger.copy(named: Self.asidePrefix + trigger.name, on: name, when: Self.isLoud))
    }
  }

  /// Removes the copies: if the triggers themselves also fired, each effect would happen twice.
  func remove() throws {
    let statement = try connection.prepare(
      """
      SELECT name FROM temp.sqlite_schema
      WHERE type = 'trigger' AND name LIKE 'tributary\\_%' ESCAPE '\\'
      """)
    var names: [String] = []
    while try statement.step() { names.append(statement.string(0)) }
    statement.reset()
    for name in names { try connection.execute("DROP TRIGGER temp.\(name.quotedIdentifier)") }
    let asides = try self.names(
      """
      SELECT DISTINCT tbl_name FROM temp.sqlite_schema
      WHERE type = 'trigger' AND name LIKE 'tributaryaside\\_%' ESCAPE '\\'
      """)
    // Their triggers are dropped with them.
    for name in asides {
      try connection.execute("DROP TABLE \(Self.asideSchema).\(name.text.quotedIdentifier)")
    }
    try connection.execute("PRAGMA temp.user_version = 0")
  }

  /// Returns what an import leaves undone; each in a sentence with the remedy.
  package func findings() throws -> [Refusal] {
    try survey().left.map { trigger, reason in
      Refusal(
        "trigger \(trigger.name) writes tables that are not replicated, but \(reason), so it does not fire on "
          + "an import and they miss what is imported", remedy: "split it into two triggers")
    }
  }

  /// Returns triggers that may refuse a write but write nothing that an import would miss, each in a
  /// sentence; they do not fire on an import either.
  package func notes() throws -> [String] {
    try survey().checking.map { trigger in
      "trigger \(trigger.name) may refuse a write (RAISE), so it does not fire on an import: what it checks is "
        + "checked where a row is written, and nowhere else"
    }
  }

  /// Returns triggers that do not fire on an import although they should, each with the reason as a clause.
  func silent() throws -> [(name: String, reason: String)] {
    try survey().left.map { trigger, reason in
      (
        trigger.name,
        "it writes tables that are not replicated, but \(reason), so it does not fire on an import"
      )
    }
  }

  /// Whether triggers that fire on an import write to a table that is not replicated.
  func fill(_ table: String) throws -> Bool {
    try survey().copied.contains { $0.targets.contains(SQLName(table)) }
  }

  private struct Survey {
    var copied: [TriggerDescription] = []
    /// The triggers that should fire but cannot, with the reasons.
    var left: [(TriggerDescription, String)] = []
    /// The triggers of replicated tables that may refuse a write, and whose other effects an import does not
    /// miss.
    var checking: [TriggerDescription] = []
  }

  private func survey() throws -> Survey {
    let triggers = try triggers()
    if triggers.isEmpty { return Survey() }
    let selection = try self.selection ?? TableSelection(connection)
    let replicated = Set(
      try SchemaReader(connection: connection).tableNames().filter(selection.includes)
        .map { SQLName($0) })
    let views = Set(try names("SELECT name FROM main.sqlite_schema WHERE type = 'view'"))
    var survey = Survey()
    for trigger in triggers {
      let targets = tables(trigger.targets, triggers, views)
      guard !targets.isSubset(of: replicated) else {
        if trigger.mayRefuse, replicated.contains(SQLName(trigger.table)) {
          survey.checking.append(trigger)
        }
        continue
      }
      // What it writes to replicated tables is in the logs, as are the effects of other triggers there.
      let logged = trigger.targets.filter {
        !tables([$0], triggers, views).isDisjoint(with: replicated)
      }
      if trigger.mayRefuse {
        survey.left.append((trigger, "may also refuse a write"))
      } else if tables(logged, triggers, views).isSubset(of: replicated) {
        survey.copied.append(trigger.writingNone(of: logged))
      } else {
        survey.left.append((trigger, "through a view also tables that are"))
      }
    }
    // Triggers that fire only on local writes do nothing for imported rows.
    let reached = survey.copied.reduce(into: replicated) { $0.formUnion($1.targets) }
    survey.left.removeAll { !reached.contains(SQLName($0.0.table)) }
    return survey
  }

  /// Returns the tables among targets, and those to which the triggers of the views among them write.
  private func tables(
    _ targets: Set<SQLName>, _ triggers: [TriggerDescription], _ views: Set<SQLName>
  ) -> Set<SQLName> {
    var tables: Set<SQLName> = []
    var rest = Array(targets)
    var seen: Set<SQLName> = []
    while let name = rest.popLast() {
      guard seen.insert(name).inserted else { continue }
      guard views.contains(name) else {
        tables.insert(name)
        continue
      }
      for trigger in triggers where SQLName(trigger.table) == name { rest += trigger.targets }
    }
    return tables
  }

  private func triggers() throws -> [TriggerDescription] {
    let statement = try connection.prepare(
      """
      SELECT name, tbl_name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND sql IS NOT NULL
        AND name NOT LIKE 'tributary\\_%' ESCAPE '\\'
      ORDER BY rowid
      """)
    var triggers: [TriggerDescription] = []
    while try statement.step() {
      triggers.append(
        TriggerDescription(
          name: statement.string(0), table: statement.string(1), sql: statement.string(2)))
    }
    for contents in try SharedContents.all(in: connection) {
      triggers += contents.importTriggers
    }
    return triggers
  }

  private func names(_ sql: String) throws -> [SQLName] {
    let statement = try connection.prepare(sql)
    var names: [SQLName] = []
    while try statement.step() { names.append(SQLName(statement.string(0))) }
    return names
  }
}
