/// How often a query checks and reports.
struct QueryIntervals: Sendable {
  /// The time between two updates.
  var batching: Duration
  /// The time between two scans of everything where the system does not report changes.
  var polling: Duration
  /// The time between two checks for directories to search that do not exist yet.
  var missing = Duration.seconds(1)
}

/// When a query next checks and reports.
struct QuerySchedule {
  private let intervals: QueryIntervals
  private let clock = ContinuousClock()
  private var nextPoll: ContinuousClock.Instant
  private var nextReport: ContinuousClock.Instant

  /// Scanning everything takes at most one part in this many of the time.
  private static let pollingShare = 20

  init(_ intervals: QueryIntervals) {
    self.intervals = intervals
    (nextPoll, nextReport) = (clock.now, clock.now)
  }

  /// Returns how long to wait for events.
  func pause(for index: MetadataIndex) -> Duration {
    var ends = [nextPoll]
    if !index.missingRoots.isEmpty { ends.append(clock.now + intervals.missing) }
    if !index.update.isEmpty { ends.append(nextReport) }
    return max(.zero, ends.min()! - clock.now)
  }

  mutating func poll(_ look: () -> Void) {
    let time = clock.measure(look)
    nextPoll = clock.now + max(intervals.polling, time * Self.pollingShare)
  }

  /// Scans where the system reports nothing, if it is time.
  mutating func look(at index: MetadataIndex) {
    if clock.now >= nextPoll {
      poll { if index.needsPolling { index.reconcile() } else { index.checkRoots() } }
    }
    for root in index.missingRoots { index.reconcileRoot(root) }
  }

  /// Whether it is time to report an update.
  mutating func mayReport(_ update: MetadataUpdate) -> Bool {
    if update.isEmpty { return true }
    guard clock.now >= nextReport else { return false }
    nextReport = clock.now + intervals.batching
    return true
  }
}
