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
    let (listing, manifests) = (exchange.listing, exchange.manifests)
    // What cannot be read now may say that it was done already.
    guard manifests.failure == nil, listing.peers.allSatisfy({ $0.failure == nil }) else {
      return false
    }
    let state = AdoptionState(listing: listing, generation: manifests.generation)
    if adoption.withLock({ $0 == state }) { return false }
    let turn = try PublishingTurn(for: exchange.connection.filePath)
    defer { withExtendedLifetime(turn) {} }
    guard try exchange.isCurrent() else { return false }
    let hasAdopted = try BranchAdoption(branches: Branches(exchange)).perform {
      try exchange.writeManifest()
    }
    self.adoption.withLock { $0 = hasAdopted ? nil : state }
    return hasAdopted
  }
}
