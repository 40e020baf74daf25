internal import TributaryCore

/// The newest transactions, as many as a report holds singly; what is older goes into sums.
struct RecentTransactions {
  private let limits: ReportLimits
  private var ring: [ReportTransaction] = []
  /// Where the oldest one is.
  private var start = 0
  private var riseCount = 0
  private(set) var older: ReportBuckets
  /// What each peer knew before its oldest transaction here.
  private(set) var bases: [Int: [Int: SequenceNumber]] = [:]

  init(_ limits: ReportLimits) {
    self.limits = limits
    older = ReportBuckets(width: 60_000, limit: limits.buckets)
  }

  /// From the oldest.
  var all: [ReportTransaction] { Array(ring[start...]) }

  mutating func append(_ transaction: ReportTransaction) {
    ring.append(transaction)
    riseCount += transaction.rises.count
    while start < ring.count, ring.count - start > limits.transactions || riseCount > limits.rises {
      let oldest = ring[start]
      ring[start].parts = []
      ring[start].rises = []
      start += 1
      riseCount -= oldest.rises.count
      older.add(oldest, peer: oldest.peer)
      for rise in oldest.rises { bases[oldest.peer, default: [:]][rise.peer] = rise.sequence }
    }
    // Moving the rest together costs as much as has been added since the last time.
    if start > 1024, start >= ring.count / 2 {
      ring.removeFirst(start)
      start = 0
    }
  }
}
