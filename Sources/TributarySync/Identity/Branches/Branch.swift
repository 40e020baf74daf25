import TributaryCore
import TributaryLog
import TributaryStore

/// The transactions that one of several stores has written under their shared identity after the part that
/// stays under that identity, and the new identity under which they are issued again.
struct Branch: Equatable {
  /// The peer under which the branch is issued again.
  var peer: PeerIdentity
  /// The last transaction of the shared identity before the branch.
  var last: SequenceNumber
  /// The times of its transactions. The first one is `last + 1` of the shared identity, and 1 here.
  var times: [HybridTime]
  /// The renamings of its transactions, in the order in which they apply: one branch may split off another.
  var renamings: [Renaming]

  /// The last of its transactions, by the numbers of the shared identity.
  var end: SequenceNumber { SequenceNumber(last.rawValue + UInt64(times.count)) }

  static func == (a: Branch, b: Branch) -> Bool {
    a.peer == b.peer && a.last == b.last && a.times == b.times
  }
}

extension PeerIdentity {
  /// Returns the identity under which any device issues a branch of this one again, however much it knows
  /// about the other branches. It is derived from the first transaction alone.
  func branch(from time: HybridTime) -> PeerIdentity {
    var bytes: [UInt8] = []
    for number in [lineage, time.rawValue] {
      withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
    return PeerIdentity(high: high, low: bytes.withUnsafeBytes { SegmentHash.hash($0) })
  }
}
