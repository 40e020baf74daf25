import TributaryCore
import TributaryLog
import TributaryStore

/// What one of several stores has written under their common identity, from where it parts from what
/// stays under that, and the identity under which it is issued again.
struct Branch: Equatable {
  /// Who issues it again.
  var peer: PeerIdentity
  /// The last transaction of the common identity before it.
  var last: SequenceNumber
  /// When its transactions were made: the first is `last + 1` of the common identity, and 1 here.
  var times: [HybridTime]
  /// What its transactions are called now, one after the other: one branch may part from another.
  var renamings: [Renaming]

  /// The last of its transactions, by the numbers of the common identity.
  var end: SequenceNumber { SequenceNumber(last.rawValue + UInt64(times.count)) }

  static func == (a: Branch, b: Branch) -> Bool {
    a.peer == b.peer && a.last == b.last && a.times == b.times
  }
}

extension PeerIdentity {
  /// The identity under which a branch of this one is issued again, by any device, however much
  /// of the other branches is known there: it follows from the first transaction alone.
  func branch(from time: HybridTime) -> PeerIdentity {
    var bytes: [UInt8] = []
    for number in [lineage, time.rawValue] {
      withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
    return PeerIdentity(high: high, low: bytes.withUnsafeBytes { SegmentHash.hash($0) })
  }
}
