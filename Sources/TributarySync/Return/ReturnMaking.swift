import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributarySQLite
import TributaryStore

/// Makes the store that comes back, from a copy of the store.
struct ReturnMaking {
  /// The store as it is, in a snapshot.
  let exchange: Exchange
  let baseline: DeclaredBaselines.Baseline
  let declaration: Declaration
  let staging: Staging
  /// The copy.
  let connection: Connection
  let moment: ReturnMoment
  /// A schema with what the baseline needs and the store lacks.
  var offer: SchemaOffer?
  /// Whether no device will bring transactions that are in no file and whose authors are gone.
  var passesOverLost = false
  /// What the store issues again for a peer that was retired.
  var retired: RetiredLog?
  /// Tables for which it is unknown what programs have written.
  var uncompared: UncomparedTables?
  let progress: ((Progress) throws -> Void)?

  private var own: PeerIdentity { exchange.own }
  private var baselines: BaselineStore { exchange.baselines(of: baseline.peer) }

  /// Makes the store.
  ///
  /// - Parameter identity: returns the identity that the store takes, if it needs one.
  func run(identity: () throws -> PeerIdentity) throws -> ReturnReport {
    if let offer { try take(offer) }
    let selection = try TableSelection(connection)
    try staging.makeFast(connection)
    try connection.execute("PRAGMA foreign_keys = OFF")
    connection.setTriggers(firing: false)
    try ImportTriggers(connection).renew()
    let logs = try FencedLogs(
      exchange, declaration, forgottenBeneath: moment.record.settled,
      passingOverLost: passesOverLost, with: retired)
    // For a table that the baseline lacks, what is here may be nowhere else.
    let lacking = try exchange.tablesMissing(
      from: baseline.header, for: selection, countsGone: true)
    // What the store has made beyond the horizon keeps its name.
    let isLeft =
      !logs.isEmpty || !lacking.isEmpty || uncompared != nil
      || !moment.record.state.promises.isEmpty
      || moment.last > declaration.horizon[own]
    let new = isLeft ? try identity() : nil
    try ReturnRestore(
      baselines: baselines, name: baseline.name, staging: staging, connection: connection,
      selection: selection, environment: exchange.environment, progress: progress
    ).run { try begin(as: new) }
    var report = ReturnReport(
      declaration: declaration.identifier, baseline: baselines.path(of: baseline.name),
      former: isLeft ? own : nil)
    let written = try reissue(logs, selection, lacking)
    report.reissued = Int(clamping: written.transactions)
    report.undeleted = written.undeleted
    if let retired {
      report.retired = retired.peer
      try retired.noteIssued(
        in: connection, milliseconds: exchange.environment.clock.milliseconds())
    }
    for (peer, last) in logs.limits {
      let first = max(last, logs.issuedByOthers[peer] ?? .zero)
      let count = Int(clamping: logs.known[peer].rawValue - min(first, logs.known[peer]).rawValue)
      if peer == own { report.fenced = count } else { report.fencedOfOthers += count }
    }
    try importRest(logs, selection)
    return report
  }

  private func take(_ offer: SchemaOffer) throws {
    do {
      _ = try connection.immediate { try offer.take(into: connection, own: own) }
    } catch let untaken as SchemaOffer.Untaken {
      throw BaselineImage.Unfit(
        "its tables are newer, and of the schema of \(offer.peer), \(untaken.reason)")
    }
  }

  /// Makes the copy know exactly the horizon, under another identity or the same.
  private func begin(as new: PeerIdentity?) throws {
    let knowledge = KnowledgeTable(connection)
    try ClockFloor(connection).raise()
    if let new {
      _ = try IdentityChange(
        connection, Renaming(former: own, last: moment.last, new: new), isShared: false,
        isLeft: true
      ).perform(milliseconds: exchange.environment.clock.milliseconds())
      try connection.execute("DELETE FROM tributary_knowledge; DELETE FROM tributary_peer")
      try RemovedTransactions(connection).clear()
    } else {
      let last = Value.integer(Int64(moment.last.rawValue))
      try Settings(connection).set(.examined, last)
      try Settings(connection).set(.numberings, last)
    }
    let known = try knowledge.current()
    for entry in known.entries where entry.sequence > declaration.horizon[entry.peer] {
      try knowledge.setBack(
        entry.peer, to: declaration.horizon[entry.peer],
        time: declaration.times[entry.peer] ?? .zero)
    }
    for entry in baseline.header.entries
    where entry.peer != new ?? own && entry.sequence > known[entry.peer] {
      try knowledge.advance(
        entry.peer, to: entry.sequence, time: entry.time,
        after: new == nil ? moment.last : .zero)
    }
    // Peers that it had retired and that have agreed on this declaration are still there.
    try Retirements(Settings(connection)).remove(declaration.members)
    var record = moment.record
    record.state.follow(declaration)
    try record.write(to: connection)
    try HorizonRecord.settle(declaration, in: connection)
    var notes = try HorizonNotes(connection)
    notes.note(moment.record)
    notes.note(record)
    notes.obeyed = exchange.environment.clock.milliseconds()
    notes.lost = nil
    try notes.write(to: connection)
  }

  /// Issues again what is fenced, and merges it.
  ///
  /// - Parameter lacking: the tables that the baseline lacks. Everything that the store shows of them is
  ///   issued again.
  private func reissue(
    _ logs: FencedLogs, _ selection: TableSelection, _ lacking: [String]
  ) throws -> ReissueLog.Written {
    if logs.isEmpty, lacking.isEmpty, uncompared == nil { return ReissueLog.Written() }
    let schema = try ReplicatedSchema(exchange.connection, selection: selection)
    let isOurs = try authors(logs)
    let (shown, returned) = (
      ShownRows(exchange.connection, schema), ShownRows(connection, schema)
    )
    var rows = try FencedRows(logs, schema, in: shown, by: isOurs)
    let numbers = try ReturnNumbers(logs, rows, from: shown, to: returned, in: connection)
    // What the store has forgotten and the others lack is no base for what it shows.
    if !logs.lost.isEmpty, logs.forgotten.isEmpty {
      try rows.addComparisons(from: shown, to: returned, numbers.substitution)
    }
    let base = try BaseRows(logs, rows, selection)
    let uncompared = Set(
      uncompared?.names.compactMap { schema.tableNumber(named: $0.text) } ?? [])
    try rows.addDifferences(
      in: logs.forgotten.isEmpty ? uncompared : Set(schema.tables.indices), uncompared: uncompared,
      from: shown, to: returned, DeletionsElsewhere(logs, schema), numbers.substitution)
    let lacked = Set(lacking.compactMap { schema.tableNumber(named: $0) })
    try rows.addRows(of: lacked, from: shown)
    let plan = try ReissuePlan(
      logs, rows, base, shown: shown, returned: returned, numbers: numbers, lacking: lacked,
      by: isOurs)
    let written = try connection.immediate {
      try ReissueLog(connection: connection, declaration: declaration, schema: schema).write(plan)
    }
    if written.transactions > 0 { try JoiningMerge(replay: replay).run() }
    return written
  }

  private var replay: LogReplay {
    LogReplay(path: staging.target, connection: connection, environment: exchange.environment)
  }

  /// Returns whether this store issues an author's transactions again: its own, under any identity, and those
  /// of authors who do not do so themselves. It does not wait for those authors, since the next declaration
  /// might fence what waits.
  private func authors(_ logs: FencedLogs) throws -> (PeerIdentity) -> Bool {
    let others = exchange.manifests.others(than: own)
    // If a copy also had an identity, the copy may be gone, though the others have counted on it.
    let former = Set(try FormerIdentities(exchange.connection).all().map(\.peer))
    let elsewhere = Set(others.flatMap(\.former.keys)).union(declaration.members)
      .subtracting(former)
    return { [own] peer in peer == own || !elsewhere.contains(peer) }
  }

  /// Imports what passes.
  ///
  /// - Throws: `SyncError` with the code `logsMissing` if this lacks something that the store had: nothing
  ///   may be put off.
  private func importRest(_ logs: FencedLogs, _ selection: TableSelection) throws {
    // Indexes were dropped and created again, which changes the schema as another program would.
    try connection.immediate {
      if uncompared != nil { try ForeignCapture(connection).acquit() }
      try ForeignCapture(connection).settle(ReplicatedSchema(connection, selection: selection))
    }
    let rest = try Exchange(of: connection, exchange.environment)
    let result = try Importer(exchange: rest, announces: false, progress: progress).run()
    if let failure = result.failure { throw failure }
    var known = try KnowledgeTable(connection).current()
    known[rest.own] = try Outbox(connection).last()?.sequence ?? .zero
    if let missing = known.firstMissing(from: logs.passing) {
      throw MissingTransaction(sequence: missing.sequence, peer: missing.peer).error(in: rest)
    }
  }
}
