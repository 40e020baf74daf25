import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// The state of the last comparison of the own log that found the store to be the continuation.
  struct ContinuationState: Equatable {
    var own: PeerListing
    var manifests: Int
    /// Segments of other peers whose authors may know more of this store than it does.
    var arrivals: [PeerIdentity: SegmentName]
    var last: SequenceNumber

    /// Whether another state contains nothing new. Imports since then do not count as new.
    func covers(_ other: ContinuationState) -> Bool {
      own == other.own && manifests == other.manifests && last == other.last
        && other.arrivals.allSatisfy { arrivals[$0.key] == $0.value }
    }
  }

  /// Removes what was issued again under another identity.
  func withdraw(
    _ identity: StoreIdentity, _ directory: ContentDirectory, _ connection: Connection
  ) throws {
    try IdentityRenewal(
      identity: identity, connection: connection, environment: environment, directory: directory,
      log: log
    ).withdraw()
  }

  /// Takes another identity if other stores have written under this store's, or may have.
  ///
  /// - Parameter reseed: whether not to wait for own transactions that have not arrived.
  /// - Throws: `SyncError.forked` while it is not clear what other stores have.
  func renew(
    _ identity: StoreIdentity, _ listing: ContentListing, _ known: PeerManifests,
    _ connection: Connection, reseed: Bool, into report: inout SyncReport,
    _ didImport: (SyncReport.Imported) throws -> Void
  ) throws {
    let directory = known.directory
    let renewal = IdentityRenewal(
      identity: identity, connection: connection, environment: environment, directory: directory,
      log: log)
    let own = listing.peers.first { $0.peer == identity.peer } ?? PeerListing(peer: identity.peer)
    if let failure = own.failure { throw ContainerError(failure) }
    let state = ContinuationState(
      own: own, manifests: known.generation,
      arrivals: listing.arrivals(
        beyond: try KnowledgeTable(connection).current(), except: identity.peer),
      last: try Outbox(connection).last()?.sequence ?? .zero)
    let isKnown = continuation.withLock { $0?.covers(state) ?? false }
    if isKnown, try CopyTable(connection).first() == nil { return }
    let ownLog = OwnLog(
      identity: identity, connection: connection, environment: environment, directory: directory,
      agreement: agreement, times: times)
    let branches = try Branches(
      own: identity.peer, connection: connection, manifests: known, environment: environment,
      verified: verified, times: times)
    let finding = try ownLog.compare(listing, known, branches)
    if case .continues = finding {
      continuation.withLock { $0 = state }
      return
    }
    if case .undecided(let lacking, let evidence) = finding, !reseed {
      throw SyncError(
        .forked,
        "\(evidence): it was restored from a backup or copied, and publishes nothing until transaction "
          + "\(lacking) of its own log has arrived", path: directory.log(of: identity.peer),
        remedy:
          "wait for the carrier; if the log is lost, `tributary sync --reseed` continues "
          + "without it")
    }
    try finishExamination(identity, listing, known, connection, reseed, into: &report, didImport)
    let renewed =
      switch finding {
      case .departs(let last, let takenOver, let evidence):
        try renewal.perform(after: last, takenOver: takenOver, evidence: evidence)
      case .undecided(let lacking, let evidence):
        try renewal.perform(
          after: SequenceNumber(lacking.rawValue - 1), evidence: evidence)
      case .continues: SyncReport.Renewal?.none
      }
    report.renewal = renewed ?? report.renewal
  }

  /// Examines the own transactions for conflicts while they still are the store's own: nobody
  /// examines imported transactions of another peer.
  private func finishExamination(
    _ identity: StoreIdentity, _ listing: ContentListing, _ known: PeerManifests,
    _ connection: Connection, _ reseed: Bool, into report: inout SyncReport,
    _ didImport: (SyncReport.Imported) throws -> Void
  ) throws {
    let imported = try OwnExamination(
      importer: Importer(
        own: identity.peer, connection: connection, environment: environment,
        directory: known.directory, listing: listing, verified: verified, manifests: known,
        times: times, follower: follower)
    ).examine()
    if !imported.isEmpty {
      report.imported.append(imported)
      try didImport(imported)
    }
    guard !reseed, let open = try OwnExamination.first(connection) else { return }
    throw SyncError(
      .logsMissing,
      "the store is about to take another identity, and to look at its transaction \(open) before that "
        + "needs logs that it has imported and that are not in the container",
      path: known.directory.peers,
      remedy: "wait for the carrier; if they are lost, `tributary sync --reseed` continues "
        + "without them")
  }
}
