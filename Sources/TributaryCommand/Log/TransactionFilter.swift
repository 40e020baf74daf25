import TributaryCore
import TributaryLog

/// Which transactions and changes are wanted.
struct TransactionFilter {
  /// In lower-case hexadecimal digits; none means all peers.
  var peerPrefixes: [String] = []
  /// None means all tables.
  var tables: [String] = []
  var sequences: ClosedRange<SequenceNumber> = .zero ... .max
  /// Milliseconds since 1970.
  var times: ClosedRange<UInt64> = 0...HybridTime.maximumMilliseconds

  /// Whether a segment may hold something that is wanted.
  func includes(_ header: SegmentHeader) -> Bool {
    includes(header.peer) && sequences.overlaps(header.first...header.last)
      && times.overlaps(header.firstTime.milliseconds...header.lastTime.milliseconds)
  }

  func includes(_ transaction: TransactionHeader) -> Bool {
    sequences.contains(transaction.sequence) && times.contains(transaction.time.milliseconds)
  }

  /// By the rule of SQLite: upper and lower case ASCII letters are equal.
  func includes(table: String) -> Bool {
    tables.isEmpty || tables.contains { Self.folded($0).elementsEqual(Self.folded(table)) }
  }

  private func includes(_ peer: PeerIdentity) -> Bool {
    guard !peerPrefixes.isEmpty else { return true }
    let digits = peer.description
    return peerPrefixes.contains { digits.hasPrefix($0) }
  }

  private static func folded(_ name: String) -> some Sequence<UInt8> {
    name.utf8.lazy.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }
}
