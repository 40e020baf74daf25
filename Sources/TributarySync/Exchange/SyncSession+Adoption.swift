import Synchronization
import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// The state in which the last search for branches that nobody issues again found none.
  struct AdoptionState: Equatable {
    var listing: ContentListing
    /// The generation of the manifests.
    var generation: Int
  }

  /// Whether something has waited long enough for a store that may not come back.
  ///
  /// - Parameter reseed: whether not to wait.
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
  /// - Returns: whether there was any.
  func adopt(_ exchange: Exchange) throws -> Bool {
    try search(exchange, adoption) { branches in
      try BranchAdoption(branches: branches).perform { try exchange.writeManifest() }
    }
  }

  /// Publishes again what stores have in common that have all left an identity, or all had what they wrote under it issued
  /// again by others: each may have counted on the others' files, which are left out now.
  ///
  /// - Returns: whether there was any.
  func supplyCommon(_ exchange: Exchange) throws -> Bool {
    try search(exchange, commons) { branches in
      try BranchAdoption(branches: branches)
        .supplyCommon(gone: exchange.manifests.all.goneIdentities)
    }
  }

  /// Calls `work`, unless it has found nothing in the present state of the container.
  private func search(
    _ exchange: Exchange, _ last: borrowing Mutex<AdoptionState?>,
    _ work: (Branches) throws -> Bool
  ) throws -> Bool {
    let (listing, manifests) = (exchange.listing, exchange.manifests)
    // What cannot be read now may say that it was done already.
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
