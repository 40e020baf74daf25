import TributaryContainer
import TributaryCore

/// What the peers of a container say of themselves, read once and handed to all who ask.
struct PeerManifests {
  let directory: ContentDirectory
  /// Those that can be read; their receipts and times, only as far as they concern the store that
  /// asks.
  var all: [PeerIdentity: PeerManifest] = [:]
  /// Changes with them, within one session.
  var generation = 0
  /// Why one that is there is not among them, although nothing is known to be wrong with it.
  var failure: ContainerError?

  /// In order of peer.
  func others(than own: PeerIdentity?) -> [PeerManifest] {
    all.values.filter { $0.peer != own }.sorted { $0.peer < $1.peer }
  }
}
