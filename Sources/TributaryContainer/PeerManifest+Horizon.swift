import TributaryCore
import TributaryHorizon

/// Receipts that list only what is above a horizon.
extension PeerManifest {
  /// Returns the same manifest with a receipt above the horizon of a declaration that the peer obeys.
  ///
  /// - Returns: the manifest itself if its receipt does not contain the horizon.
  package func written(above declaration: Declaration) -> PeerManifest {
    let beneath = beneath(declaration)
    guard receiptHorizon == nil, receipt.isSuperset(of: beneath) else { return self }
    var manifest = self
    manifest.receiptHorizon = declaration.identifier
    // If the time differs, it is stated: this is how others learn of a fork.
    manifest.receipt = Knowledge(
      receipt.entries.filter {
        $0.sequence > beneath[$0.peer] || times[$0.peer] != declaration.times[$0.peer]
      })
    manifest.times = times.filter { manifest.receipt[$0.key] > .zero }
    return manifest
  }

  /// Returns the same manifest with everything that the peer has imported. Without the declaration, what is
  /// listed is true but incomplete.
  ///
  /// - Parameters:
  ///   - subject: the only peer whose entries are wanted; `nil` for all.
  ///   - includesTimes: whether `times` includes the times of the horizon: as many for each peer as there are
  ///     peers.
  /// - Complexity: O(*n*) in the peers of the horizon; for a subject, or without times, O(*k* log *n*) for *k* entries.
  package func resolved(
    by declaration: Declaration, about subject: PeerIdentity? = nil, includesTimes: Bool = true
  ) -> PeerManifest {
    guard receiptHorizon == declaration.identifier else { return self }
    var manifest = self
    manifest.receiptHorizon = nil
    let beneath = beneath(declaration)
    if let subject {
      manifest.receipt = Knowledge()
      manifest.receipt[subject] = max(receipt[subject], beneath[subject])
    } else {
      manifest.receipt = beneath.union(receipt)
    }
    guard includesTimes else { return manifest }
    let known = subject.map { [$0: declaration.times[$0] ?? .zero] } ?? declaration.times
    // A time of zero stands for an unknown time.
    for (peer, time) in known
    where time > .zero && peer != self.peer && receipt[peer] == .zero && times[peer] == nil {
      manifest.times[peer] = time
    }
    return manifest
  }

  /// Returns what a receipt includes without listing it: the horizon, except for the peer's own transactions.
  private func beneath(_ declaration: Declaration) -> Knowledge {
    var beneath = declaration.horizon
    beneath[peer] = .zero
    return beneath
  }
}
