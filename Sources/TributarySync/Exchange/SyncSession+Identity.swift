import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// The state at the last comparison of the store's own log in which the store was found to continue it.
  struct ContinuationState: Equatable {
    var own: PeerListing
    var manifests: Int
    /// Segments of other peers whose authors may know more of this store's transactions than it does.
    var arrivals: [PeerIdentity: SegmentName]
    var last: SequenceNumber

    /// Whether another state contains nothing new. Imports since this state do not count as new.
    func covers(_ other: ContinuationState) -> Bool {
      own == other.own && manifests == other.manifests && last == other.last
        && other.arrivals.allSatisfy { arrivals[$0.key] == $0.value }
    }
  }

  /// Takes another identity if other stores have written under this store's identity, or may have.
  ///
  /// - Parameter reseed: whether to go on without own transactions that have not arrived, instead of waiting.
  /// - Throws: `SyncError` with the code `forked` while it is not clear what other stores have.
  func renew(
    _ exchange: inout Exchange, reseed: Bool, into report: inout SyncReport,
    _ didImport: (SyncReport.Imported) throws -> Void
  ) throws {
    let connection = exchange.connection
    let own = exchange.ownListing
    if let failure = own.failure { throw ContainerError(failure) }
    let state = ContinuationState(
      own: own, manifests: exchange.manifests.generation,
      arrivals: exchange.listing.arrivals(
        beyond: try KnowledgeTable(connection).current(), except: exchange.own),
      last: try Outbox(connection).last()?.sequence ?? .zero)
    let isKnown = continuation.withLock { $0?.covers(state) ?? false }
    if isKnown, try CopyTable(connection).first() == nil { return }
    var finding = try OwnLog(branches: Branches(exchange)).compare()
    if case .continues = finding, let evidence = try forgottenPromise(exchange) {
      finding = .departs(after: state.last, takenOver: nil, evidence: evidence)
    }
    if case .continues = finding {
      continuation.withLock { $0 = state }
      return
    }
    // Until this store has another identity, peers that know later transactions of this identity know another
    // store's.
    exchange.lastShared = finding.lastShared
    var reseeds = reseed
    if case .undecided(let lacking, let evidence) = finding, !reseed {
      let isForgotten = try exchange.isForgotten(lacking)
      reseeds = try isForgotten && hasWaitedForOwnLog(exchange)
      guard reseeds else {
        throw SyncError(
          .forked,
          "\(evidence): it was restored from a backup or copied, and publishes nothing until "
            + "transaction \(lacking) of its own log has arrived",
          path: exchange.directory.log(of: exchange.own),
          remedy:
            "wait for the carrier; if the log is lost, `tributary sync --reseed` continues "
            + "without it" + (isForgotten ? Remedy.ofForgottenOwnLog : ""))
      }
    }
    try finishExamination(exchange, reseeds, into: &report, didImport)
    let renewed =
      switch finding {
      case .departs(let last, let takenOver, let evidence):
        try exchange.renewIdentity(
          after: takenOver == nil ? max(last, exchange.finalOwnName()) : last,
          takenOver: takenOver, evidence: evidence)
      case .undecided(let lacking, let evidence):
        try exchange.renewIdentity(
          after: SequenceNumber(lacking.rawValue - 1), evidence: evidence)
      case .continues: SyncReport.Renewal?.none
      }
    report.renewal = renewed ?? report.renewal
    exchange.lastShared = nil
  }

  /// Whether the store has lacked a part of its own log for so long that it goes on without it. The first
  /// time is recorded.
  private func hasWaitedForOwnLog(_ exchange: Exchange) throws -> Bool {
    let now = environment.clock.milliseconds()
    try HorizonNotes.noteLoss(now, in: exchange.connection)
    return HorizonNotes.hasPassed(
      environment.horizons.lossPatience, since: try HorizonNotes(exchange.connection).lost, now)
  }

  /// Returns why the store must have been restored, if its own `peer.json` states a promise that it does not
  /// remember (rule 3 of `docs/space.md`).
  private func forgottenPromise(_ exchange: Exchange) throws -> String? {
    guard let stated = exchange.manifests.all[exchange.own]?.horizon else { return nil }
    let identifiers = stated.promises + [stated.obeyed, stated.settled].compactMap { $0 }
    guard !identifiers.isEmpty, let record = try HorizonRecord.ifReadable(exchange.connection)
    else { return nil }
    let known = try Set(record.statements + HorizonNotes(exchange.connection).stated)
      .union(record.state.dropped)
    guard let forgotten = identifiers.first(where: { !known.contains($0) }) else { return nil }
    let path = exchange.directory.manifest(of: exchange.own)
    return "\(path) states a promise, \(forgotten.lowerHex), that the store does not remember"
  }

  /// Examines the store's own transactions for conflicts before it takes another identity: no store examines
  /// imported transactions of another peer.
  private func finishExamination(
    _ exchange: Exchange, _ reseed: Bool, into report: inout SyncReport,
    _ didImport: (SyncReport.Imported) throws -> Void
  ) throws {
    let imported = try OwnExamination(
      importer: try Importer(exchange: exchange, follower: follower)
    ).examine()
    if !imported.isEmpty {
      report.imported.append(imported)
      try didImport(imported)
    }
    guard !reseed, let open = try OwnExamination.first(exchange.connection) else { return }
    throw SyncError(
      .logsMissing,
      "the store is about to take another identity, and to look at its transaction \(open) before that "
        + "needs logs that it has imported and that are not in the container",
      path: exchange.directory.peers,
      remedy: "wait for the carrier; if they are lost, `tributary sync --reseed` continues "
        + "without them")
  }
}
