import TributaryCore
import TributarySQLite

/// The triggers of a store that journal what other programs write, and their journals.
package struct ForeignCapture {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Whether the store has triggers at all.
  package func isUsed() throws -> Bool { try Settings(connection).captureMethod() == .triggers }

  /// Whether another program has written what is not recorded yet, or has changed the schema.
  ///
  /// - Complexity: a look at each journal.
  package func isPending() throws -> Bool { try isPending(state()) }

  /// The same; and whether tables are to be compared with the logs, or another program has written while
  /// nothing captured it. Only under the lock for writing is this certain: without it, what is committed at
  /// this moment may look like that.
  package func isDue() throws -> Bool {
    if connection.isWriting, let own = connection.observer as? OwnCommits,
      let state = own.state
    {
      return try own.isBroken || state.isSuspected || isPending(state)
    }
    let state = try state()
    return try state.isSuspected || isPending(state) || isBroken(state, connection.logHead())
  }

  /// Whether another program may have written while nothing captured it; certain as that of `isDue`.
  package func isBroken() throws -> Bool { try isBroken(state(), connection.logHead()) }

  /// - Parameter isUnchanged: the open transaction has changed nothing yet.
  func isPending(_ state: State, isUnchanged: Bool = false) throws -> Bool {
    guard state.isUsed else { return state.captured == Self.noted }
    let version = try connection.integer("PRAGMA main.schema_version") ?? 0
    return try state.captured != version || hasEntries(version, isUnchanged)
  }

  /// Whether the last commit is none of ours, as far as that can be known.
  func isBroken(_ state: State, _ head: LogHead?) -> Bool {
    guard !state.isUsed, let head else { return false }
    if head.isEmpty { return state.places.isEmpty || connection.writtenNanoseconds != state.seal }
    let note = ObjectIdentifier(OwnEnd.self)
    if let known = connection.notes[note] as? OwnEnd, known.place == head.place { return false }
    guard state.places.contains(where: { connection.isOneTransaction(from: $0, to: head) }) else {
      return true
    }
    connection.notes[note] = OwnEnd(place: head.place)
    return false
  }

  /// An end of the log that is known to be that of one of our commits: a large one takes long to look at.
  private struct OwnEnd: Sendable {
    var place: LogPlace
  }

  /// Whether it is certain that somebody else has committed: after one of our commits that is in the same log.
  /// Without that, the file may only have been copied, or its log have gone into it.
  package func isCertain() throws -> Bool {
    let state = try state()
    guard let head = try connection.logHead(), !head.isEmpty else { return false }
    return state.places.contains { $0.isInLog(of: head.place) } && isBroken(state, head)
  }

  struct State {
    var isUsed: Bool
    var captured: Int64?
    var isSuspected: Bool
    /// Where those of our own commits began of which one is the last.
    var places: [LogPlace]

    /// See `CommitSeal`.
    var seal: Int { CommitSeal.nanoseconds(for: places) }
  }

  /// In one question, since every look at the store asks it.
  func state() throws -> State {
    let statement = try connection.cached(
      """
      SELECT (SELECT value = 'triggers' FROM tributary_store WHERE key = 'capture'),
        (SELECT value FROM tributary_store WHERE key = 'captured'),
        EXISTS (SELECT 1 FROM tributary_store WHERE key = 'suspected'),
        (SELECT value FROM tributary_store WHERE key = 'place'),
        (SELECT place FROM tributary_outbox ORDER BY sequence DESC LIMIT 1)
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
      isSuspected: statement.integer(2) == 1, places: places)
  }

  /// What stands for the version of the schema where a store without triggers has entries in journals.
  static let noted: Int64 = -1

  /// Whether some journal has entries.
  private func hasEntries(_ version: Int64, _ isUnchanged: Bool) throws -> Bool {
    for query in try queries(version, isUnchanged || !connection.isWriting)
    where try connection.integer(query) == 1 { return true }
    return false
  }

  /// At most this many journals are asked about in one statement.
  private static let questionsAtOnce = 100

  private struct Queries: Sendable {
    var version: Int64
    var texts: [String]
  }

  /// - Parameter isCommitted: the schema is not one that the open transaction has made.
  private func queries(_ version: Int64, _ isCommitted: Bool) throws -> [String] {
    let note = ObjectIdentifier(Queries.self)
    if let known = connection.notes[note] as? Queries, known.version == version {
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
    if isCommitted { connection.notes[note] = Queries(version: version, texts: texts) }
    return texts
  }

  /// The names of the journals that are there.
  private func journals() throws -> [String] {
    try names("table", CaptureTriggers.journalPrefix).map(\.name)
  }

  /// What is there of ours, with the statements that made it.
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

  /// Has what `body` commits on a connection known as our own.
  package static func follow(_ connection: Connection, _ body: () throws -> Void) throws {
    connection.observer = OwnCommits()
    try body()
    try CommitSeal(connection).set()
  }

  // MARK: Making the triggers

  /// Makes the triggers right for the tables as they are, within the open transaction.
  ///
  /// - Returns: the tables whose triggers were not all there as they should be: what was written there
  ///   may not be in a journal.
  @discardableResult
  func renew(_ schema: ReplicatedSchema) throws -> [String] {
    var journals = Dictionary(
      try names("table", CaptureTriggers.journalPrefix).map { (SQLName($0.name), $0.sql) },
      uniquingKeysWith: { first, _ in first })
    var triggers = Dictionary(
      try names("trigger", CaptureTriggers.prefix).map { (SQLName($0.name), $0.sql) },
      uniquingKeysWith: { first, _ in first })
    var renewed: [String] = []
    let actions = try UpdateActions(connection)
    for table in schema.tables where Self.isCaptured(table) {
      let wanted = CaptureTriggers(
        table: table, uniqueKeys: try UniqueKey.keys(of: table, connection),
        updatesComeBack: actions.lead(backTo: table.name))
      let name = CaptureTriggers.journal(of: table.name)
      let hasJournal =
        journals.removeValue(forKey: SQLName(name))?.utf8.elementsEqual(
          wanted.journalStatement.utf8) ?? false
      let statements = wanted.triggerStatements
      let isWhole = statements.reduce(hasJournal) { isWhole, trigger in
        let present = triggers[SQLName(trigger.name)]
        return present?.utf8.elementsEqual(trigger.sql.utf8) ?? false && isWhole
      }
      if isWhole {
        for trigger in statements { triggers[SQLName(trigger.name)] = nil }
        continue
      }
      renewed.append(table.name)
      for trigger in statements {
        triggers[SQLName(trigger.name)] = nil
        try connection.execute("DROP TRIGGER IF EXISTS main.\(trigger.name.quotedIdentifier)")
      }
      try connection.execute("DROP TABLE IF EXISTS main.\(name.quotedIdentifier)")
      try connection.execute(wanted.journalStatement)
      for trigger in statements { try connection.execute(trigger.sql) }
    }
    // Of tables that are gone, or were renamed.
    for name in triggers.keys.sorted() {
      try connection.execute("DROP TRIGGER IF EXISTS main.\(name.text.quotedIdentifier)")
    }
    for name in journals.keys.sorted() {
      try connection.execute("DROP TABLE IF EXISTS main.\(name.text.quotedIdentifier)")
    }
    try noteSchema()
    return renewed
  }

  /// The triggers are right for the schema as it is.
  private func noteSchema() throws {
    let version = try connection.integer("PRAGMA main.schema_version") ?? 0
    guard try Settings(connection).integer(.captured) != version else { return }
    try Settings(connection).set(.captured, .integer(version))
  }

  /// Whether a table can be captured by triggers.
  package static func isCaptured(_ table: TableDescription) -> Bool {
    table.refusal == nil && table.columns.count <= CaptureTriggers.columnLimit
  }

  /// Whether a connection that captures by itself needs its triggers to fire: some are not ours, or there are
  /// none at all.
  func leavesTriggers() throws -> Bool {
    guard try isUsed() else { return true }
    return try connection.integer(
      "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'trigger' AND name NOT LIKE 'tributary\\_%' ESCAPE '\\')"
    ) == 1
  }

  /// Chooses how writes are captured from now on, within the open transaction.
  ///
  /// - Parameter isComplete: everything that was written is in the logs.
  package func choose(_ method: CaptureMethod, _ schema: ReplicatedSchema, isComplete: Bool) throws
  {
    // What was written until now is in the journals, if anywhere.
    let isKnown = try isComplete || !isPending() && !state().isSuspected
    try Settings(connection).set(.capture, .string(method.rawValue))
    switch method {
    case .triggers:
      let renewed = try renew(schema)
      if !isComplete { try suspect(renewed) }
    case .hook:
      if isKnown { try vouch() }
      try remove()
    }
  }

  /// Empties the journals, whose entries are recorded, and makes the triggers right; without triggers, the
  /// journals go.
  func finish(_ schema: ReplicatedSchema) throws {
    guard try isUsed() else {
      try Settings(connection).set(.captured, nil)
      return try removeJournals()
    }
    for journal in try journals() {
      try connection.cached("DELETE FROM main.\(journal.quotedIdentifier)").run()
    }
    try suspect(renew(schema))
  }

  /// Takes the triggers and the journals away.
  package func remove() throws {
    for trigger in try names("trigger", CaptureTriggers.prefix) {
      try connection.execute("DROP TRIGGER main.\(trigger.name.quotedIdentifier)")
    }
    try removeJournals()
    try Settings(connection).set(.captured, nil)
  }

  private func removeJournals() throws {
    for journal in try journals() {
      try connection.execute("DROP TABLE main.\(journal.quotedIdentifier)")
    }
  }

  // MARK: Tables to be compared with the logs

  /// Tables where other programs may have written what no journal has.
  package func suspected() throws -> [String] {
    try Settings(connection).text(.suspected)?.split(separator: "\n").map(String.init) ?? []
  }

  func suspect(_ tables: [String]) throws {
    if tables.isEmpty { return }
    let all = try Set((suspected() + tables).map { SQLName($0) })
    try Settings(connection).set(
      .suspected, .string(all.sorted().map(\.text).joined(separator: "\n")))
  }

  /// They have been compared.
  package func acquit() throws {
    try Settings(connection).set(.suspected, nil)
    if try !isUsed() { try vouch() }
  }

  /// Whatever was committed before the open transaction is captured, or found.
  package func vouch() throws {
    guard let own = connection.observer as? OwnCommits else { return }
    // What commits nothing says nothing.
    try CommitSeal(connection).draw()
    try own.vouch(connection)
  }
}
