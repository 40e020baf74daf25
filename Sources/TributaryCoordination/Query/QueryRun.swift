internal import Glibc
internal import Synchronization
internal import TributaryFiles

/// The thread of a query between its start and its end.
final class QueryRun: Sendable {
  private let predicate: MetadataPredicate
  private let roots: [SearchRoot]
  private let intervals: QueryIntervals
  private let hasEnded = Mutex(false)
  /// `nil` if the system has too many watchers; then everything is polled.
  private let watcher: Watcher?

  init(
    _ predicate: MetadataPredicate, _ roots: [SearchRoot], _ intervals: QueryIntervals,
    isWatching: Bool
  ) {
    self.predicate = predicate
    self.roots = roots
    self.intervals = intervals
    // Without a watcher, the query polls.
    watcher = isWatching ? try? Watcher() : nil
  }

  func start(_ state: QueryState) throws(FileError) {
    _ = try WorkerThread(name: "tributary-query") { self.run(state) }
  }

  func end() {
    hasEnded.withLock { $0 = true }
    watcher?.wake()
  }

  private var isEnded: Bool { hasEnded.withLock { $0 } }

  private func run(_ state: QueryState) {
    let index = MetadataIndex(predicate, roots, watcher: watcher)
    var schedule = QuerySchedule(intervals)
    schedule.poll { index.reconcile() }
    state.didGather(self, index.takeUpdate(), index.takeFailures())
    while !isEnded {
      let pause = schedule.pause(for: index)
      if let events = wait(pause) { index.handle(events) }
      if isEnded { return }
      schedule.look(at: index)
      guard schedule.mayReport(index.update) else { continue }
      let (update, failures) = (index.takeUpdate(), index.takeFailures())
      if !update.isEmpty || !failures.isEmpty { state.didUpdate(self, update, failures) }
    }
  }

  /// - Returns: `nil` if nothing is known.
  private func wait(_ pause: Duration) -> WatchEvents? {
    let milliseconds = max(1, Int(min(pause, .seconds(3600)) / .milliseconds(1)))
    guard let watcher else {
      // Without a watch, only a short sleep notices the end of the query.
      usleep(UInt32(min(milliseconds, 100)) * 1000)
      return nil
    }
    // If waiting fails, the query polls. The pause keeps a persistent fault from occupying the processor.
    guard let events = try? watcher.wait(timeoutMilliseconds: milliseconds) else {
      usleep(100_000)
      return nil
    }
    return events
  }
}
