import Synchronization
import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// The state in which the last search found no branch that needs another store to issue it again.
  struct AdoptionState: Equatable {
    var listing: ContentListing
    /// The generation of the manifests.
    var generation: Int
  }

  /// Whether something has waited long enough for a store that may not come back.
  ///
  /// - Parameter reseed: whether to act without waiting.
  func isAdoptionDue(_ report: SyncReport, reseed: Bool) -> Bool {
    let now = environment.clock.milliseconds()
    return report.delays.contains { delay in
      switch delay.waiting.first?.reason {
      case .fork, .strayed, .transaction: reseed || delay.since + environment.branchPatience <= now
      default: false
      }
    }
  }

  /// Issues again, on behalf of other stores, what they have written under shared identities.
  ///
  /// - Returns: whether there was anything to issue.
  func adopt(_ exchange: Exchange) throws -> Bool {
    try search(exchange, adoption) { branches in
      try BranchAdoption(branches: branches).perform { try exchange.writeManifest() }
    }
  }

  /// Publishes again what several stores have in common, if all of them have left an identity or have had
  /// others issue again what they wrote under it. Each may have counted on the others' files, which are left
  /// out now.
  ///
  /// - Returns: whether there was anything to publish.
  func supplyCommon(_ exchange: Exchange) throws -> Bool {
    try search(exchange, commons) { branches in
      try BranchAdoption(branches: branches)
        .supplyCommon(gone: exchange.manifests.all.goneIdentities)
    }
  }

  /// Calls `work`, unless the last call found nothing and the container is still in the same state.
  private func search(
    _ exchange: Exchange, _ last: borrowing Mutex<AdoptionState?>,
    _ work: (Branches) throws -> Bool
  ) throws -> Bool {
    let (listing, manifests) = (exchange.listing, exchange.manifests)
    // A file that cannot be read now may say that this was done already.
    guard manifests.failure == nil, listing.peers.allSatisfy({ $0.failure == nil }) else {
      return false
    }
    let state = AdoptionState(listing: listing, generation: manifests.generation)
    if last.withLock({ $0 == state }) { return false }
    let turn = try PublishingTurn(for: exchange.connection.filePath)
    defer { withExtendedLifetime(turn) {} }
    guard try exchange.isCurrent() else { return false }
    let hasFound = try work(Branches(exchange))
    last.withLock { $0 = hasFound ? nil : state }
    return hasFound
  }
}
