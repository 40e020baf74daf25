internal import TributaryCore

/// The newest transactions, as many as a report contains individually; older ones are added up.
struct RecentTransactions {
  private let limits: ReportLimits
  private var ring: [ReportTransaction] = []
  /// The position of the oldest one.
  private var start = 0
  private var riseCount = 0
  private(set) var older: ReportBuckets
  /// What each peer knew before its oldest transaction here.
  private(set) var bases: [Int: [Int: SequenceNumber]] = [:]

  init(_ limits: ReportLimits) {
    self.limits = limits
    older = ReportBuckets(width: 60_000, limit: limits.buckets)
  }

  /// The transactions, the oldest first.
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
