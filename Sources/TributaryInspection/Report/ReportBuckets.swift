/// Sums of transactions by peer and time, in steps that become wider when there would be too many.
package struct ReportBuckets {
  package struct Key: Hashable {
    /// The peer's number in the report.
    package var peer: Int
    /// The number of the step, counted from 1970.
    package var step: UInt64
  }

  /// The width of a step in milliseconds.
  package private(set) var width: UInt64
  package private(set) var tallies: [Key: ReportTally] = [:]
  private let limit: Int

  /// Makes empty sums.
  ///
  /// - Parameter width: the initial width, in milliseconds; at least 1.
  package init(width: UInt64, limit: Int) {
    self.width = width
    self.limit = limit
  }

  /// The sums in order of peer, then of time.
  package var sorted: [(key: Key, value: ReportTally)] {
    tallies.sorted { ($0.key.peer, $0.key.step) < ($1.key.peer, $1.key.step) }
  }

  /// Adds a transaction; those of one peer must come in their order.
  package mutating func add(_ transaction: ReportTransaction, peer: Int) {
    tallies[Key(peer: peer, step: transaction.time.milliseconds / width), default: ReportTally()]
      .add(transaction.sequence, changes: transaction.changes, bytes: transaction.bytes)
    while tallies.count > max(limit, peerCount) { widen() }
  }

  /// With one step per peer, there is nothing left to join.
  private var peerCount: Int { width >= 1 << 48 ? tallies.count : 0 }

  private mutating func widen() {
    width *= 2
    var wider: [Key: ReportTally] = [:]
    for (key, tally) in sorted {
      wider[Key(peer: key.peer, step: key.step / 2), default: ReportTally()].add(tally)
    }
    tallies = wider
  }
}
