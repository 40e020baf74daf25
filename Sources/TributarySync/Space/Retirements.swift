import TributaryCore
import TributaryStore

/// The peers that this store has declared to be gone. Its `peer.json` names them.
struct Retirements {
  private let settings: Settings

  init(_ settings: Settings) { self.settings = settings }

  func all() throws -> Set<PeerIdentity> {
    Set(try settings.lines(.retired).compactMap { PeerIdentity(hex: $0) })
  }

  /// Counts on some peers again.
  func remove(_ peers: [PeerIdentity]) throws {
    let all = try all()
    let left = all.subtracting(peers)
    guard left != all else { return }
    try settings.set(.retired, lines: left.sorted().map(\.description))
  }

  func add(_ peer: PeerIdentity) throws {
    try settings.set(.retired, lines: all().union([peer]).sorted().map(\.description))
  }
}
