import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Attaches where logs exist. The logs are imported first and win. Whatever else the database has is kept:
/// rows that the logs do not contain are added, and what the logs contradict becomes a conflict.
///
/// The store is put together in a separate file, whose contents replace the database's when it is complete.
struct Joiner {
  let request: AttachRequest
  let identity: StoreIdentity
  let environment: StoreEnvironment
  let directory: ContentDirectory
  let listing: ContentListing
  let manifests: PeerManifests
  let progress: ((Progress) throws -> Void)?
  /// The tables to create where there are none; `nil` means those of the newest schema of all devices.
  var schema: ManifestSchema?
  /// The most that the store gets; `nil` means everything.
  var horizon: Knowledge?
  /// Declarations for which there need not be any baseline left, and above whose horizons logs may be
  /// written.
  var declarations: [Declaration] = []

  func join(exists: Bool) throws -> AttachReport {
    let staging = Staging(target: request.store, fileSystem: environment.localFiles)
    // Held until the end: otherwise, what another program committed meanwhile would be lost.
    let original = exists ? try ExclusiveDatabase(path: request.store) : nil
    defer { original?.release() }
    let copy = SetAsideCopy(of: request.store, before: "attaching", environment.localFiles)
    do {
      return try staging.build(replacing: original) { try fill(staging, original, copy) }
    } catch {
      copy.remove()
      throw error
    }
  }

  private func fill(
    _ staging: Staging, _ original: ExclusiveDatabase?, _ copy: SetAsideCopy
  ) throws -> AttachReport {
    let shared = schema ?? SharedSchema(manifests: manifests).newest(except: nil)
    let isBlank = try original.map { try SchemaTables.areNone(in: $0.connection) } ?? true
    var unmade: [String] = []
    if !isBlank, let original {
      try original.copy(to: staging.path)
      try request.checkMigrations(original.connection)
    } else {
      unmade = try makeTables(at: staging.path, shared)
    }
    let selection = try sharedSelection(shared, staging.path)
    try AgreedAttachment(
      request: isBlank ? known(shared) : request, manifests: manifests, isBlank: isBlank
    ).perform(
      identity, selection: selection, at: staging.path, durably: false, adopts: false)
    // A baseline may use names from before a renaming.
    try takeNames(at: staging.path)
    // Only the logs can tell which rows of a database they contain, as long as they are kept.
    let restored = try BaselineRestore(
      identity: identity, directory: directory, listing: listing, manifests: manifests,
      environment: environment, selection: selection, staging: staging, horizon: horizon,
      progress: progress
    ).run(onlyDeclared: !isBlank)
    let connection = try Connection(path: staging.path, mode: .readWrite)
    defer { connection.close() }
    try staging.makeFast(connection)
    if !declarations.isEmpty { try HorizonRecord.remember(declarations, in: connection) }
    try UnmadeObjects(connection).write(unmade)
    if isBlank {
      if request.migrations.isEmpty {
        try Migration.writeDown(names: shared?.migrations ?? [], in: connection)
      }
      for table in shared?.copies ?? [] where !selection.includes(table.name) {
        try table.fill(connection)
      }
    }
    connection.setTriggers(firing: false)
    try NameChanges.take(from: manifests, into: connection)
    let result = try importLogs(
      into: connection, selection, beginningAnew: restored.used == nil, following: isBlank)
    // Files that this device may not read are left to a later synchronisation. Everything else has been
    // imported.
    if let failure = result.failure, !failure.isDenied { throw failure }
    try SpentNumbers(connection).take(from: manifests)
    let transactions = result.imported.transactions + (restored.used?.transactions ?? 0)
    var report = AttachReport(
      outcome: hasLogs || restored.used != nil
        ? .rebuilt(transactions: transactions) : .created,
      identity: identity, waiting: result.waiting, damaged: restored.damaged + result.damaged)
    report.baseline = restored.used?.path
    report.notes = restored.passedOver.map { AttachNote(.warning, $0) }
    if let failure = result.failure {
      report.notes.append(AttachNote(.warning, "\(environment.explaining(failure))"))
    }
    if result.failure == nil {
      // Directories that this device may not read.
      report.notes += listing.peers.compactMap(\.failure).map {
        AttachNote(.warning, "\(environment.explaining(ContainerError($0)))")
      }
    }
    if !isBlank, let original {
      try join(original, connection, result, copy, &report)
      try follow(in: connection, &report)
    }
    try explainDelays(of: report.waiting, connection, &report)
    try connection.immediate {
      try StoppedTables(connection).remember()
      try FollowedSchema(connection).set(following: request.followsWhenNew)
    }
    if request.captureWhenNew == .triggers {
      try connection.immediate {
        try ForeignCapture(connection).choose(
          .triggers, ReplicatedSchema(connection, selection: selection), isComplete: true)
      }
    }
    // From here on, a store exists.
    try request.cancellation?.check()
    return report
  }

  /// Adds what has arrived and waits, and what others have that has not arrived. A store made for a horizon
  /// has no more than that.
  private func explainDelays(
    of waiting: [Waiting], _ connection: Connection, _ report: inout AttachReport
  ) throws {
    guard horizon == nil else { return }
    var exchange = exchange(connection)
    exchange.manifests = exchange.memory.receipts.read(
      listing, in: directory, environment, horizons: exchange.horizons)
    let explanation = try DelayExplanation(exchange)
    let now = environment.clock.milliseconds()
    let undelivered = try UndeliveredTransactions.find(exchange, exchange.manifests.all).map {
      (isSaid: $0.isSaid(by: waiting), delay: explanation.delay(of: $0, since: [:], now: now))
    }
    report.undelivered = undelivered.map { "\($0.delay)" }
    report.delays =
      explanation.delays(waiting, since: [:], now: now)
      + undelivered.filter { !$0.isSaid }.map(\.delay)
  }

  private func takeNames(at path: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    try NameChanges.take(from: manifests, into: connection)
  }

  private var hasLogs: Bool { listing.peers.contains { !$0.segments.isEmpty } }

  /// Adds the rows that the database has and the logs do not show.
  private func join(
    _ original: ExclusiveDatabase, _ connection: Connection, _ result: Importer.Result,
    _ copy: SetAsideCopy, _ report: inout AttachReport
  ) throws {
    let isComplete = try isComplete(result, connection)
    let settled = try SettledRows(exchange(connection))
    if !isComplete, settled != nil || result.waiting.contains(where: \.isAboveHorizon) {
      throw SyncError(
        .logsMissing,
        "logs are missing, and without them it cannot be told which rows of this database the other devices have",
        path: request.store,
        remedy:
          "wait until the carrier has brought them, then attach again; nothing has been changed")
    }
    let mentions = LoggedKeys(
      environment: environment, directory: directory, listing: listing,
      names: try NameChanges(connection), settled: settled,
      left: Set(manifests.all.values.flatMap(\.former.keys)))
    let identities = try JoiningIdentities(
      of: original.connection, in: connection,
      ReplicatedSchema(connection, selection: TableSelection(connection)), mentions,
      isComplete: isComplete)
    let isThere = try isComplete || isThere(result, connection)
    let rows = JoiningRows(
      original: original.connection, connection: connection, environment: environment,
      mentions: mentions, isComplete: isThere, horizon: settled?.declaration,
      substitution: identities.substitution)
    let outcome = try rows.record()
    let known = try Set(ConflictTable(connection).conflicts().map(\.id))
    try JoiningMerge(
      replay: LogReplay(path: request.store, connection: connection, environment: environment)
    ).run()
    let conflicts = try ConflictTable(connection).conflicts()
    try checkNobodyGivesWay(conflicts)
    report.outcome = .joined(
      added: try rows.countVisible() - outcome.visible + outcome.addedUnkeyed)
    report.conflicts = conflicts.count { !known.contains($0.id) }
    report.isComplete = isThere
    report.doubted = outcome.doubted
    if outcome.hasUnsaid {
      try original.copy(to: copy.path)
      report.setAside = copy.path
    }
  }

  /// Takes what the schemas of others add and waiting transactions need, if the store is to follow them. By
  /// now, the rows of the database have been compared with the logs.
  private func follow(in connection: Connection, _ report: inout AttachReport) throws {
    guard request.followsWhenNew,
      report.waiting.contains(where: { if case .schema = $0.reason { true } else { false } })
    else { return }
    let known = try Set(ConflictTable(connection).conflicts().map(\.id))
    try FollowedSchema(connection).set(following: true)
    let result = try Importer(
      exchange: exchange(connection), announces: false, progress: progress
    ).run()
    if let failure = result.failure, !failure.isDenied { throw failure }
    report.waiting = result.waiting
    report.schemas = result.imported.schemas
    report.conflicts += try ConflictTable(connection).conflicts().count { !known.contains($0.id) }
  }

  /// Whether everything that any store is known to have written has been imported. What identities that were left or
  /// retired state does not count: it was issued again, or nobody brings it any more.
  private func isComplete(_ result: Importer.Result, _ connection: Connection) throws -> Bool {
    guard result.waiting.isEmpty, result.damaged.isEmpty, result.failure == nil,
      listing.peers.allSatisfy({ $0.failure == nil })
    else { return false }
    return try UndeliveredTransactions.find(
      exchange(connection), manifests.all, countsMisnamed: true
    ).isEmpty
  }

  /// Whether everything that any store is known to have written is in logs that are here and whole, even if
  /// some of it waits for the tables of this store. What it mentions is then known.
  private func isThere(_ result: Importer.Result, _ connection: Connection) throws -> Bool {
    guard result.damaged.isEmpty, result.failure == nil,
      listing.peers.allSatisfy({ $0.failure == nil }),
      try UndeliveredTransactions.find(exchange(connection), manifests.all).isEmpty
    else { return false }
    return result.waiting.allSatisfy { waiting in
      switch waiting.reason {
      case .schema, .constraint: true
      case .transaction(let peer, let sequence): listing.holds(sequence, of: peer)
      case .history, .fork, .strayed, .fenced, .baseline: false
      }
    }
  }

  /// Checks that no row of the logs, which win, makes room for one that only this database has.
  private func checkNobodyGivesWay(_ conflicts: [Conflict]) throws {
    guard
      let conflict = conflicts.first(where: {
        $0.isHeld && $0.winner.peer == identity.peer && $0.loser.peer != identity.peer
      })
    else { return }
    throw SyncError(
      .contradiction,
      "a row that only this database has cannot stand beside those of the logs: it has a UNIQUE key of "
        + "a row of table \(conflict.table)", path: request.store,
      remedy: "wait until all logs have arrived, or change or remove that row, then attach again; "
        + "nothing has been changed")
  }

  /// Returns the request with only the migrations that other devices have run: the logs contain what these
  /// write. The later ones run when the store is attached.
  private func known(_ shared: ManifestSchema?) -> AttachRequest {
    guard let shared, !shared.migrations.isEmpty else { return request }
    var known = request
    let names = Set(shared.migrations.map { Array($0.utf8) })
    known.migrations = Array(
      request.migrations.prefix { names.contains(Array($0.name.utf8)) })
    return known
  }

  private func makeTables(at path: String, _ shared: ManifestSchema?) throws -> [String] {
    let connection = try Connection(path: path, mode: .create, classifies: true)
    defer { connection.close() }
    try connection.execute("PRAGMA synchronous = OFF")
    return try known(shared).makeTables(shared, in: connection, directory)
  }

  private func sharedSelection(_ shared: ManifestSchema?, _ path: String) throws -> TableSelection {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    return try request.selection(shared, in: connection)
  }

  /// Imports the logs.
  ///
  /// - Parameters:
  ///   - beginsAnew: whether the tables contain nothing of the logs yet.
  ///   - follows: whether to take what the schemas of others add and waiting transactions need, if the store
  ///     is to follow. (A joining database is compared with the logs before its schema changes.)
  private func importLogs(
    into connection: Connection, _ selection: TableSelection, beginningAnew beginsAnew: Bool,
    following follows: Bool
  ) throws -> Importer.Result {
    try ImportTriggers(connection).renew()
    var indexes: DeferredIndexes?
    if beginsAnew {
      // The logs win. Rows that they do not contain are added again afterwards.
      for table in try ReplicatedSchema(connection, selection: selection).tables {
        try connection.execute("DELETE FROM \(table.name.quotedIdentifier)")
      }
      indexes = try DeferredIndexes(droppingFrom: connection)
    }
    func run() throws -> Importer.Result {
      try Importer(
        exchange: exchange(connection), horizon: horizon, announces: false, progress: progress
      ).run()
    }
    var result = try run()
    if let indexes {
      try progress?(Progress(stage: "indexing", done: 0))
      try indexes.restore(in: connection)
    }
    guard follows, request.followsWhenNew, !result.waiting.isEmpty else { return result }
    // With its indexes, the schema is complete and can be compared with the others.
    try FollowedSchema(connection).set(following: true)
    var imported = result.imported
    result = try run()
    imported.append(result.imported)
    result.imported = imported
    return result
  }

  /// Returns the container as it was when the attachment began.
  private func exchange(_ connection: Connection) -> Exchange {
    var exchange = Exchange(identity, connection, environment, directory)
    exchange.listing = listing
    exchange.manifests = manifests
    return exchange
  }
}
