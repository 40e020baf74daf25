import TributaryCore
import TributaryHorizon
import TributaryStore

extension SyncSession {
  /// Writes a baseline: one file with everything that the store shares. A missing store can be made from it
  /// without reading the logs that came before.
  ///
  /// It synchronises first, and compacts own segments afterwards. No other user of the store waits while the
  /// file is written. Of this store's baselines, the last two that are whole stay.
  ///
  /// - Throws: what prevents the synchronisation; `SyncError` if the store differs from what the logs say. No
  ///   device counts an unfinished file.
  package func writeBaseline() throws -> BaselineReport {
    if let report = try writeDeclaredBaseline() { return try explained(report) }
    let lock = try StoreLock(store.path, for: .baseline)
    defer { lock.release() }
    var unexaminedCount = 0
    for _ in 0..<Self.baselineAttempts {
      if let failure = try exchange().failure { throw failure }
      let outcome = try store.background { connection in
        var exchange = try exchange(StoreIdentity(reading: connection), connection)
        try exchange.look()
        return try BaselineWriter(exchange: exchange, store: store.path).write()
      }
      switch outcome {
      case .written(let report):
        // The status reports what keeps segments from being compacted.
        var compacted = SyncReport()
        try compactSome(into: &compacted)
        return try explained(report)
      // If nothing is declared, nothing is beyond it.
      case .disturbed, .beyond: continue
      case .unexamined:
        // Another process may publish transactions that it has not examined yet.
        unexaminedCount += 1
        guard unexaminedCount < 3 else {
          throw SyncError(
            .logsMissing,
            "logs are missing that show which conflicts this store's own writes have made",
            path: store.path,
            remedy: "wait until the carrier has brought them, and try again; `tributary status` "
              + "says what waits")
        }
      }
    }
    throw SyncError(
      .inUse, "the store was written to each time a baseline was begun", path: store.path,
      remedy: "try again when there is less to do")
  }

  /// Proposes a horizon at once, and writes the baseline of the one that the store obeys.
  ///
  /// - Returns: `nil` if it obeys none. The baseline is then one that declares nothing.
  private func writeDeclaredBaseline() throws -> BaselineReport? {
    guard environment.horizons.isOn else { return nil }
    if let failure = try exchange().failure { throw failure }
    try decideHorizon(isForced: true)
    guard let obeyed = try horizonRecord().state.obeyed else { return nil }
    let report: BaselineReport
    do {
      report = try writeBaseline(of: obeyed)
    } catch let error as SyncError where error.code == .logsMissing {
      guard let later = try replaceLost(obeyed) else { throw error }
      report = try writeBaseline(of: later)
    }
    try decideHorizon()
    var compacted = SyncReport()
    try compactSome(into: &compacted)
    // What was kept out may now be issued again, if its author is retired.
    forgetManifest()
    return report
  }

  /// Adds what the baseline does not contain, and why.
  private func explained(_ report: BaselineReport) throws -> BaselineReport {
    var report = report
    try store.service { connection in
      var exchange = try exchange(StoreIdentity(reading: connection), connection)
      try exchange.look()
      let own = try Outbox(connection).last()?.sequence.rawValue ?? 0
      let known = try KnowledgeTable(connection).current().total.addingReportingOverflow(own)
      report.beyond = max(0, Int(clamping: known.partialValue) - report.transactions)
      let manifests = exchange.manifests.all
      let text = PeerText(own: exchange.own, names: manifests.mapValues(\.name))
      let record = try HorizonRecord(connection)
      var awaited: Set<PeerIdentity> = []
      if let promise = record.state.promises.last {
        awaited = Set(
          promise.members.filter { member in
            !(manifests[member]?.horizon?.promises.contains(promise.identifier) ?? false)
          })
      }
      if report.beyond > 0 {
        awaited.formUnion(
          try PeerCensus(exchange, isListed: true).standings().filter(\.holdsHorizon).map(\.peer))
      }
      report.awaited = awaited.subtracting([exchange.own]).sorted().map { text($0) }
      guard environment.horizons.isOn else { return }
      let gone = manifests.goneIdentities
      report.unable = exchange.manifests.others(than: exchange.own)
        .filter { $0.promisesNothing && !gone.contains($0.peer) }.map { text($0.peer) }
    }
    return report
  }

  private func horizonRecord() throws -> HorizonRecord {
    try store.service { try HorizonRecord($0) }
  }

  /// Makes a later horizon replace one that the store has forgotten and of which no whole baseline exists any
  /// more.
  ///
  /// - Returns: the later horizon if it is declared already; `nil` if the store has not forgotten by the one
  ///   that is lost, or cannot propose another.
  /// - Throws: `SyncError` if other devices have to promise the later one first.
  private func replaceLost(_ lost: Declaration) throws -> Declaration? {
    guard try horizonRecord().settled == lost else { return nil }
    if try horizonRecord().state.promises.isEmpty {
      // A peer that can never have what is lost holds it back.
      try store.service { try HorizonNotes.noteLoss(environment.clock.milliseconds(), in: $0) }
      try decideHorizon(reseeds: true)
    }
    let state = try horizonRecord().state
    if let obeyed = state.obeyed, obeyed != lost { return obeyed }
    guard !state.promises.isEmpty else { return nil }
    throw SyncError(
      .logsMissing,
      "no baseline of what the devices have forgotten is whole any more, and they have to agree on a later one; this "
        + "store has proposed it",
      path: store.path,
      remedy:
        "run `tributary sync` on the other devices, then here; a device that is away is left out after a day"
    )
  }

  /// A baseline begins at a moment when everything is published. If a store is written to all the time, such
  /// moments are rare.
  private static let baselineAttempts = 1000
}
