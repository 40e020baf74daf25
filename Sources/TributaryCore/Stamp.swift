/// The time and author of a transaction: a total order over all peers that never contradicts cause
/// and effect.
///
/// Stamps are ordered by time, then by peer.
public struct Stamp: Hashable, Sendable {
  public var time: HybridTime
  public var peer: PeerIdentity

  @inlinable public init(time: HybridTime, peer: PeerIdentity) {
    self.time = time
    self.peer = peer
  }
}

extension Stamp: Comparable {
  @inlinable public static func < (a: Stamp, b: Stamp) -> Bool {
    a.time != b.time ? a.time < b.time : a.peer < b.peer
  }
}

extension Stamp {
  /// The part of the stamp that stays when the author takes another identity, as values for a hash.
  public var mark: [Value] {
    [.integer(Int64(bitPattern: time.rawValue)), .integer(Int64(bitPattern: peer.lineage))]
  }
}
