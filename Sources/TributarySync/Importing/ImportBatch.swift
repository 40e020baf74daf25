import TributaryCore
import TributaryLog
import TributaryMerge

/// What is imported in one SQLite transaction, while it is being put together.
final class ImportBatch {
  typealias Range = (
    peer: PeerIdentity, first: SequenceNumber, last: SequenceNumber, time: HybridTime
  )

  let changes: MergeBatch
  /// By stream.
  @exclusivity(unchecked) var mappings: [ShapeMappings]
  @exclusivity(unchecked) private(set) var ranges: [Range] = []
  @exclusivity(unchecked) private(set) var transactions = 0
  /// Changed rows.
  @exclusivity(unchecked) var rows = 0

  init(_ changes: MergeBatch, streamCount: Int) {
    self.changes = changes
    mappings = Array(repeating: ShapeMappings(), count: streamCount)
  }

  /// The changes that follow belong to this transaction.
  func begin(_ head: TransactionHeader, of peer: PeerIdentity) {
    transactions += 1
    if let index = ranges.firstIndex(where: { $0.peer == peer }) {
      ranges[index].last = head.sequence
      ranges[index].time = head.time
    } else {
      ranges.append((peer, head.sequence, head.sequence, head.time))
    }
  }

  /// The last transaction in order of stamp.
  var last: Range? { ranges.max { ($0.time, $0.peer) < ($1.time, $1.peer) } }

  /// Makes it empty; the changes have been applied.
  func removeAll() {
    transactions = 0
    rows = 0
    ranges.removeAll()
  }
}
