import TributaryContainer
import TributaryCore

/// The manifests of a container's peers, read once and passed to everything that needs them.
struct PeerManifests {
  let directory: ContentDirectory
  /// The readable manifests; their receipts and times may be limited to what concerns the store
  /// that asks.
  var all: [PeerIdentity: PeerManifest] = [:]
  /// A number that changes with them, within one session.
  var generation = 0
  /// Why an existing manifest is not among them, although no fault of it is known.
  var failure: ContainerError?

  /// Returns the other manifests, in order of peer.
  func others(than own: PeerIdentity?) -> [PeerManifest] {
    all.values.filter { $0.peer != own }.sorted { $0.peer < $1.peer }
  }
}
