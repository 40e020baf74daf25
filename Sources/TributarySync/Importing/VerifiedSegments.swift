import TributaryContainer
import TributaryCore

/// The segments that this process has found whole, so that none is read twice for that.
final class VerifiedSegments {
  private struct Key: Hashable {
    var peer: PeerIdentity
    var name: SegmentName
  }

  private var known: Set<Key> = []

  func verify(
    _ name: SegmentName, of peer: PeerIdentity, _ check: () throws -> Void
  ) rethrows {
    let key = Key(peer: peer, name: name)
    if known.contains(key) { return }
    try check()
    // A file that disappears and comes back is checked again only after this many others.
    if known.count > 10_000 { known.removeAll() }
    known.insert(key)
  }
}
