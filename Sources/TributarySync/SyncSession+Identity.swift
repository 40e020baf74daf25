import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// What the last comparison of the own log followed from, when the store was the continuation.
  struct ContinuationState: Equatable {
    var own: PeerListing
    var manifests: Int
    var last: SequenceNumber
  }

  /// Takes another identity if others have written under this store's one.
  ///
  /// - Parameter reseed: not to wait for own transactions that have not arrived.
  /// - Throws: `SyncError.forked` while it is not clear what others have.
  func renew(
    _ identity: StoreIdentity, _ directory: ContentDirectory, _ listing: ContentListing,
    _ connection: Connection, reseed: Bool
  ) throws -> SyncReport.Renewal? {
    let renewal = IdentityRenewal(
      identity: identity, connection: connection, environment: environment, directory: directory)
    try renewal.withdraw()
    let known = manifests.read(listing, in: directory, environment)
    let own = listing.peers.first { $0.peer == identity.peer } ?? PeerListing(peer: identity.peer)
    if let failure = own.failure { throw ContainerError(failure) }
    let state = ContinuationState(
      own: own, manifests: known.generation,
      last: try Outbox(connection).last()?.sequence ?? .zero)
    if continuation.withLock({ $0 == state }) { return nil }
    let log = OwnLog(
      identity: identity, connection: connection, environment: environment, directory: directory,
      agreement: agreement)
    let branches = try Branches(
      own: identity.peer, connection: connection, manifests: known.manifests,
      segments: { SegmentStore(directory, peer: $0, using: self.environment.fileSystem) },
      verified: verified, times: times)
    switch try log.compare(listing, known.manifests, branches) {
    case .continues:
      continuation.withLock { $0 = state }
      return nil
    case .departs(let last, let evidence):
      return try renewal.perform(after: last, evidence: evidence)
    case .undecided(let lacking, let evidence):
      if reseed {
        return try renewal.perform(
          after: SequenceNumber(lacking.rawValue - 1), evidence: evidence)
      }
      throw SyncError(
        .forked,
        "\(evidence): it was restored from a backup or copied, and publishes nothing until transaction "
          + "\(lacking) of its own log has arrived", path: directory.log(of: identity.peer),
        remedy:
          "wait for the carrier; if the log is lost, `tributary sync --reseed` goes on without")
    }
  }
}
