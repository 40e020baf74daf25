import TributaryCore
import TributarySQLite

/// The triggers of a store that journal what other programs write, and their journals.
package struct ForeignCapture {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Whether the store has such triggers.
  package func isUsed() throws -> Bool { try Settings(connection).captureMethod() == .triggers }

  /// Whether another program has written something that is not recorded yet, or has changed the schema.
  ///
  /// - Complexity: a lookup in each journal.
  package func isPending() throws -> Bool { try isPending(state()) }

  /// Whether anything is pending, tables must be compared with the logs, or another program has written
  /// something that was not captured. The result is certain only under the write lock: without it, a commit
  /// in progress may look the same.
  package func isDue() throws -> Bool {
    if connection.isWriting, let own = connection.observer as? OwnCommits,
      let state = own.state
    {
      return try own.isBroken || state.isSuspected || isPending(state)
    }
    let state = try state()
    return try state.isSuspected || isPending(state) || isBroken(state, connection.logHead())
  }

  /// Whether another program may have written something that was not captured; as certain as `isDue`.
  package func isBroken() throws -> Bool { try isBroken(state(), connection.logHead()) }

  /// Returns the tables into which another program may have written something that was not captured; as
  /// certain as `isDue`.
  package func doubted(_ schema: ReplicatedSchema) throws -> [String] {
    let state = try state()
    guard let head = try connection.logHead(), try isBroken(state, head) else { return [] }
    let isKnown = try state.isUsed && commits(state, head).kind == .captured
    return schema.tables.filter {
      $0.refusal == nil && !(isKnown && Self.hasTriggers($0))
    }.map(\.name)
  }

  /// Whether anything is pending.
  ///
  /// - Parameter isUnchanged: whether the open transaction has changed nothing yet.
  func isPending(_ state: State, isUnchanged: Bool = false) throws -> Bool {
    guard state.isUsed else { return state.captured == Self.noted }
    let version = try connection.integer("PRAGMA main.schema_version") ?? 0
    return try state.captured != version || hasEntries(version, isUnchanged)
  }

  /// Whether another program has changed the schema of a store with triggers since its writes were last recorded.
  func hasNewSchema() throws -> Bool {
    let state = try state()
    return try state.isUsed
      && state.captured != connection.integer("PRAGMA main.schema_version") ?? 0
  }

  /// Whether a commit that is not the store's own, and that no trigger has captured, may have changed tables,
  /// as far as that can be known.
  func isBroken(_ state: State, _ head: LogHead?) throws -> Bool {
    guard let head else { return false }
    if state.isUsed { return try isBroken(state, commits(state, head)) }
    if head.isEmpty { return state.places.isEmpty || connection.writtenNanoseconds != state.seal }
    if let known = connection.cache[OwnEnd.self], known.place == head.place { return false }
    guard state.places.contains(where: { connection.isOneTransaction(from: $0, to: head) }) else {
      return true
    }
    connection.cache[OwnEnd.self] = OwnEnd(place: head.place)
    return false
  }

  /// Returns the same for a store with triggers.
  func isBroken(_ state: State, _ commits: ForeignCommits) throws -> Bool {
    switch commits.kind {
    case .none: false
    case .captured: try Settings(connection).text(.unwatched) != nil
    case .unknown: true
    }
  }

  /// An end of the log that is known to be the end of the store's own commit. It is kept because examining a
  /// large commit takes long.
  private struct OwnEnd: Sendable {
    var place: LogPlace
  }

  /// Whether it is certain that another program has committed, after one of the store's own commits in the
  /// same log. If it is not, the file may only have been copied, or its log may have been merged into it.
  package func isCertain() throws -> Bool {
    let state = try state()
    // The store's own commits since then cannot be distinguished from others.
    if state.isDoubted { return state.isCertain }
    guard let head = try connection.logHead(), !head.isEmpty else { return false }
    return try state.places.contains { $0.isInLog(of: head.place) } && isBroken(state, head)
  }

  struct State {
    var isUsed: Bool
    var captured: Int64?
    var isSuspected: Bool
    /// The places where the store's own commits began; one of them is the last commit.
    var places: [LogPlace]
    /// Whether another program may have written something that was not captured, whatever the log shows.
    var isDoubted: Bool
    /// Whether the log has shown that another program did.
    var isCertain: Bool

    /// The seal that follows from the places; see `CommitSeal`.
    var seal: Int { CommitSeal.nanoseconds(for: places) }
  }

  /// Reads the state in one query, since every access to the store does so.
  func state() throws -> State {
    let statement = try connection.cached(
      """
      SELECT (SELECT value = 'triggers' FROM tributary_store WHERE key = 'capture'),
        (SELECT value FROM tributary_store WHERE key = 'captured'),
        EXISTS (SELECT 1 FROM tributary_store WHERE key = 'suspected'),
        (SELECT value FROM tributary_store WHERE key = 'place'),
        (SELECT place FROM tributary_outbox ORDER BY sequence DESC LIMIT 1),
        (SELECT value FROM tributary_store WHERE key = 'doubted')
      """)
    defer { statement.reset() }
    _ = try statement.step()
    var places: [LogPlace] = []
    for column in 3...4 where !statement.isNull(column) {
      places.append(LogPlace(rawValue: statement.integer(column)))
    }
    return State(
      isUsed: statement.integer(0) == 1,
      captured: statement.isNull(1) ? nil : statement.integer(1),
      isSuspected: statement.integer(2) == 1, places: places,
      isDoubted: !statement.isNull(5),
      isCertain: statement.integer(5) == ForeignCommits.certainDoubt)
  }

  /// The placeholder for the schema version if a store without triggers has entries in journals.
  static let noted: Int64 = -1

  /// Whether any journal has entries. Use it outside a transaction, or in one that has changed nothing yet.
  func hasEntries() throws -> Bool {
    try hasEntries(connection.integer("PRAGMA main.schema_version") ?? 0, true)
  }

  /// Whether any journal has entries.
  private func hasEntries(_ version: Int64, _ isUnchanged: Bool) throws -> Bool {
    for query in try queries(version, isUnchanged || !connection.isWriting)
    where try connection.integer(query) == 1 { return true }
    return false
  }

  /// The largest number of journals that one statement examines.
  private static let questionsAtOnce = 100

  private struct Queries: Sendable {
    var version: Int64
    var texts: [String]
  }

  /// Returns the queries that examine the journals.
  ///
  /// - Parameter isCommitted: whether the schema is committed, rather than only made by the open transaction.
  private func queries(_ version: Int64, _ isCommitted: Bool) throws -> [String] {
    if let known = connection.cache[Queries.self], known.version == version {
      return known.texts
    }
    var rest = try journals()[...]
    var texts: [String] = []
    while !rest.isEmpty {
      let parts = rest.prefix(Self.questionsAtOnce).map {
        "EXISTS (SELECT 1 FROM main.\($0.quotedIdentifier))"
      }
      texts.append("SELECT " + parts.joined(separator: " OR "))
      rest = rest.dropFirst(Self.questionsAtOnce)
    }
    if isCommitted { connection.cache[Queries.self] = Queries(version: version, texts: texts) }
    return texts
  }

  /// Returns the names of the existing journals.
  private func journals() throws -> [String] {
    try names("table", CaptureTriggers.journalPrefix).map(\.name)
  }

  /// Returns the existing objects with this prefix, with the statements that made them.
  private func names(_ type: String, _ prefix: String) throws -> [(name: String, sql: String)] {
    let statement = try connection.prepare(
      "SELECT name, sql FROM main.sqlite_schema WHERE type = ? ORDER BY rowid")
    try statement.bind([.string(type)])
    var found: [(name: String, sql: String)] = []
    while try statement.step() {
      guard SQLName(statement.string(0)).hasPrefix(prefix) else { continue }
      found.append((statement.string(0), statement.string(1)))
    }
    return found
  }

  /// Runs `body` so that what it commits on a connection is known as the store's own commit.
  package static func follow(_ connection: Connection, _ body: () throws -> Void) throws {
    connection.observer = OwnCommits()
    try body()
    try CommitSeal(connection).set()
  }

  // MARK: Making the triggers

  /// Brings the triggers in line with the current tables, within the open transaction.
  ///
  /// - Returns: the tables whose triggers were not all in order; what was written to these tables may be
  ///   missing from the journals.
  @discardableResult
  func renew(_ schema: ReplicatedSchema) throws -> [SuspectedTable] {
    var journals = Dictionary(
      try names("table", CaptureTriggers.journalPrefix).map { (SQLName($0.name), $0.sql) },
      uniquingKeysWith: { first, _ in first })
    var triggers = Dictionary(
      try names("trigger", CaptureTriggers.prefix).map { (SQLName($0.name), $0.sql) },
      uniquingKeysWith: { first, _ in first })
    var renewed: [SuspectedTable] = []
    let actions = try UpdateActions(connection)
    for table in schema.tables where Self.hasTriggers(table) {
      let wanted = CaptureTriggers(
        table: table, uniqueKeys: try UniqueKey.keys(of: table, connection),
        updatesComeBack: actions.lead(backTo: table.name))
      let name = CaptureTriggers.journal(of: table.name)
      let journal = journals.removeValue(forKey: SQLName(name))
      let hasJournal = journal?.utf8.elementsEqual(wanted.journalStatement.utf8) ?? false
      let statements = wanted.triggerStatements
      let isWhole = statements.reduce(hasJournal) { isWhole, trigger in
        let present = triggers[SQLName(trigger.name)]
        return present?.utf8.elementsEqual(trigger.sql.utf8) ?? false && isWhole
      }
      if isWhole {
        for trigger in statements { triggers[SQLName(trigger.name)] = nil }
        continue
      }
      let hasAll = statements.allSatisfy { triggers[SQLName($0.name)] != nil }
      renewed.append(
        SuspectedTable(
          name: table.name,
          suspicion: journal == nil
            ? .new : hasAll ? .changed : try isRebuilt(table.name) ? .rebuilt : .dropped))
      for trigger in statements {
        triggers[SQLName(trigger.name)] = nil
        try connection.execute("DROP TRIGGER IF EXISTS main.\(trigger.name.quotedIdentifier)")
      }
      try connection.execute("DROP TABLE IF EXISTS main.\(name.quotedIdentifier)")
      try connection.execute(wanted.journalStatement)
      for trigger in statements { try connection.execute(trigger.sql) }
    }
    // These are triggers of tables that are gone or were renamed.
    for name in triggers.keys.sorted() {
      try connection.execute("DROP TRIGGER IF EXISTS main.\(name.text.quotedIdentifier)")
    }
    for name in journals.keys.sorted() {
      try connection.execute("DROP TABLE IF EXISTS main.\(name.text.quotedIdentifier)")
    }
    try noteUnwatched(schema)
    try noteSchema()
    return renewed
  }

  /// Whether a table was made after its journal, which happens when a program makes another table and gives
  /// it the name.
  private func isRebuilt(_ table: String) throws -> Bool {
    let number =
      "SELECT rowid FROM main.sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE"
    return try connection.integer(number, .string(table)) ?? 0
      > connection.integer(number, .string(CaptureTriggers.journal(of: table))) ?? .max
  }

  /// Records that the triggers are in line with the current schema.
  private func noteSchema() throws {
    let version = try connection.integer("PRAGMA main.schema_version") ?? 0
    guard try Settings(connection).integer(.captured) != version else { return }
    try Settings(connection).set(.captured, .integer(version))
  }

  /// Whether triggers can capture a table.
  package static func hasTriggers(_ table: TableDescription) -> Bool {
    table.refusal == nil && !WideJournal.isNeeded(table)
  }

  /// Records which tables no trigger can capture.
  package func noteUnwatched(_ schema: ReplicatedSchema) throws {
    let names = schema.tables.filter { $0.refusal == nil && !Self.hasTriggers($0) }.map(\.name)
    guard try Settings(connection).lines(.unwatched) != names else { return }
    try Settings(connection).set(.unwatched, lines: names)
  }

  /// Whether a connection with its own capture must leave the triggers on, because some are the
  /// application's, or because the capture has none.
  func leavesTriggers() throws -> Bool {
    guard try isUsed() else { return true }
    return try connection.integer(
      "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'trigger' AND name NOT LIKE 'tributary\\_%' ESCAPE '\\')"
    ) == 1
  }

  /// Chooses how writes are captured from now on, within the open transaction.
  ///
  /// - Parameter isComplete: whether the logs contain everything that was written.
  package func choose(_ method: CaptureMethod, _ schema: ReplicatedSchema, isComplete: Bool) throws
  {
    // What was written until now is in the journals, if anywhere.
    let isKnown = try isComplete || !isPending() && !state().isSuspected && !isBroken()
    try Settings(connection).set(.capture, .string(method.rawValue))
    switch method {
    case .triggers:
      let renewed = try renew(schema)
      if !isComplete {
        try suspect(renewed.map { SuspectedTable(name: $0.name, suspicion: .untriggered) })
      }
    case .hook:
      if isKnown { try vouch() } else { (connection.observer as? OwnCommits)?.doubt() }
      try remove()
    }
  }

  /// Brings the triggers in line with tables that this program has changed, within the open transaction.
  package func settle(_ schema: ReplicatedSchema) throws {
    if try isUsed() { try renew(schema) }
  }

  /// Records that the triggers, which `settle` has brought in line, came with the contents of another file,
  /// and that no program has written since. This is needed because copying gives the schema another version.
  package func noteCopied() throws {
    if try isUsed() { try noteSchema() }
  }

  /// Empties the journals, whose entries have been recorded, and brings the triggers in line; without
  /// triggers, drops the journals.
  func finish(_ schema: ReplicatedSchema) throws {
    guard try isUsed() else {
      try Settings(connection).set(.captured, nil)
      return try removeJournals()
    }
    for journal in try journals() {
      try connection.cached("DELETE FROM main.\(journal.quotedIdentifier)").run()
    }
    try suspect(renew(schema))
    (connection.observer as? OwnCommits)?.didEmptyJournals()
  }

  /// Removes the triggers and the journals.
  package func remove() throws {
    try removeAbandoned()
    for key in [.captured, .ways, .doubted, .unwatched] as [Settings.Key] {
      try Settings(connection).set(key, nil)
    }
  }

  /// Whether a database without bookkeeping has triggers of a store. This happens when a program has dropped
  /// the tables that it did not know; each write to a table with such a trigger then fails.
  package func isAbandoned() throws -> Bool {
    try !Settings.exist(in: connection) && !names("trigger", CaptureTriggers.prefix).isEmpty
  }

  /// Removes only the triggers and the journals, in a database that has no other bookkeeping.
  package func removeAbandoned() throws {
    try removeTriggers()
    try removeJournals()
  }

  func removeTriggers() throws {
    for trigger in try names("trigger", CaptureTriggers.prefix) {
      try connection.execute("DROP TRIGGER main.\(trigger.name.quotedIdentifier)")
    }
  }

  private func removeJournals() throws {
    for journal in try journals() {
      try connection.execute("DROP TABLE main.\(journal.quotedIdentifier)")
    }
  }
}
