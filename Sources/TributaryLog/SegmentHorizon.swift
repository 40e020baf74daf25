import TributaryCore

/// The declaration that the author of a segment obeyed. The knowledge in the segment is given above its
/// horizon.
package struct SegmentHorizon: Hashable, Sendable {
  /// The identifier of the declaration.
  package var declaration: UInt64
  /// The latest time in the horizon: all transactions of the segment are later.
  package var latestTime: HybridTime
  /// Whether the payload names the peers of version vectors by their position in the header, as writers do.
  package var numbersPeers: Bool

  package init(declaration: UInt64, latestTime: HybridTime, numbersPeers: Bool = true) {
    self.declaration = declaration
    self.latestTime = latestTime
    self.numbersPeers = numbersPeers
  }

  /// The flag of a segment that has a horizon.
  static let flag: UInt32 = 1
  /// The flag of a segment whose payload names peers by their position.
  static let numbersPeersFlag: UInt32 = 2
  static let knownFlags = flag | numbersPeersFlag

  var flags: UInt32 { Self.flag | (numbersPeers ? Self.numbersPeersFlag : 0) }
}
