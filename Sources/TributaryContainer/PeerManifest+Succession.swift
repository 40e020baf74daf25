package import TributaryCore

extension PeerManifest {
  /// Whether the peer that says this has left another identity for its own, and nobody goes on under that:
  /// a store that was copied, and whose original goes on, hears of the copy some day.
  ///
  /// - Parameter manifest: what is said under the other identity.
  package func succeeds(_ peer: PeerIdentity, saying manifest: PeerManifest?) -> Bool {
    former[peer] != nil && (manifest.map { $0.receipt[self.peer] == .zero } ?? true)
  }

  /// The identities that stores have left, and which of the peers each of them is now.
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
