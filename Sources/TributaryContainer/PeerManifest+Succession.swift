import TributaryCore

extension PeerManifest {
  /// Whether this is all that a store has left that was detached and has removed its logs: no store can be
  /// made from it.
  package var hasRemovedLogs: Bool {
    retired.contains(peer) && sequence == .zero && schema.sql.isEmpty
  }

  /// Whether the peer of this manifest has left another identity for its own and no store continues under the
  /// other one. If a store was copied and the original continues, the original will eventually hear of the
  /// copy.
  ///
  /// - Parameter manifest: the manifest of the other identity.
  package func succeeds(_ peer: PeerIdentity, saying manifest: PeerManifest?) -> Bool {
    former[peer] != nil && (manifest.map { $0.receipt[self.peer] == .zero } ?? true)
  }

  /// Returns the identities that stores have left, each with the peer that the store is now: the greatest
  /// one, if several state this.
  ///
  /// - Complexity: O(*n*) in the former identities of all manifests, none of which is copied.
  package static func successors(
    among manifests: [PeerIdentity: PeerManifest]
  ) -> [PeerIdentity: PeerIdentity] {
    var successors: [PeerIdentity: PeerIdentity] = [:]
    for manifest in manifests.values where !manifest.former.isEmpty {
      for peer in manifest.former.keys where manifest.succeeds(peer, saying: manifests[peer]) {
        successors[peer] = max(successors[peer] ?? manifest.peer, manifest.peer)
      }
    }
    return successors
  }
}
