import TributaryCore

extension PeerManifest {
  /// Whether the peer of this manifest has left another identity for its own and nobody continues under the
  /// other one. A store that was copied, and whose original continues, will hear of the copy some day.
  ///
  /// - Parameter manifest: the manifest of the other identity.
  package func succeeds(_ peer: PeerIdentity, saying manifest: PeerManifest?) -> Bool {
    former[peer] != nil && (manifest.map { $0.receipt[self.peer] == .zero } ?? true)
  }

  /// Returns the identities that stores have left, each with the peer that the store is now.
  package static func successors(
    among manifests: [PeerManifest]
  ) -> [PeerIdentity: PeerIdentity] {
    let all = Dictionary(manifests.map { ($0.peer, $0) }, uniquingKeysWith: { $1 })
    var successors: [PeerIdentity: PeerIdentity] = [:]
    for manifest in manifests {
      for peer in manifest.former.keys where manifest.succeeds(peer, saying: all[peer]) {
        successors[peer] = manifest.peer
      }
    }
    return successors
  }
}
