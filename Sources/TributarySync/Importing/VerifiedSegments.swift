import Synchronization
import TributaryContainer
import TributaryCore

/// The segments that this process has found whole, so that none is read twice for that.
final class VerifiedSegments: Sendable {
  private struct Key: Hashable {
    var peer: PeerIdentity
    var name: SegmentName
  }

  private let known = Mutex<Set<Key>>([])

  /// A file that disappears and comes back is checked again only after this many others.
  private static let limit = 10_000

  func verify(
    _ name: SegmentName, of peer: PeerIdentity, _ check: () throws -> Void
  ) rethrows {
    let key = Key(peer: peer, name: name)
    if known.withLock({ $0.contains(key) }) { return }
    try check()
    known.withLock { known in
      if known.count >= Self.limit { known.removeAll() }
      known.insert(key)
    }
  }
}
