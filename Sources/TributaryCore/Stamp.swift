/// The time and author of a transaction. Stamps form a total order over all peers that never
/// contradicts cause and effect.
///
/// Stamps are ordered by time, then by peer.
@usableFromInline package struct Stamp: Hashable, Sendable {
  @usableFromInline package var time: HybridTime
  @usableFromInline package var peer: PeerIdentity

  @inlinable package init(time: HybridTime, peer: PeerIdentity) {
    self.time = time
    self.peer = peer
  }
}

extension Stamp: Comparable {
  @inlinable package static func < (a: Stamp, b: Stamp) -> Bool {
    a.time != b.time ? a.time < b.time : a.peer < b.peer
  }
}

extension Stamp {
  /// The part of the stamp that stays the same when the author takes another identity, as values
  /// for a hash.
  package var mark: [Value] {
    [.integer(Int64(bitPattern: time.rawValue)), .integer(Int64(bitPattern: peer.lineage))]
  }
}
