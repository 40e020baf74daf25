internal import Synchronization
internal import TributaryFiles

/// Keeps all open documents of a process in sync with other devices, using a few threads and a bounded number
/// of open files.
package final class DocumentCentre: Sendable {
  /// The centre of this process.
  package static let shared = DocumentCentre()

  /// How long a commit waits for others to be published with it.
  package static let savingDelay = Duration.milliseconds(200)

  struct Entry {
    let session: DocumentSession
    var due: ContinuousClock.Instant
    /// Whether a thread is working on it.
    var isRunning = false
    /// The number of reads and writes in progress.
    var uses = 0
    /// Whether its store has files open.
    var isAwake = true
    /// When it was used last, in the order of all uses.
    var lastUse = 0
    var failures = 0
    /// The state of the other peers' directories before the last synchronisation, which found nothing to do.
    var arrivals: [DirectoryStamp]?
    /// The state of the store's files after it was closed; `nil` while it is open.
    var storeFiles: [FileStatus?]?
    /// When it was synchronised last.
    var synchronized: ContinuousClock.Instant?
    var watches = DocumentWatches()
  }

  struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// Several documents may share a watch, since there is only one watch for a directory.
    var owners: [WatchToken: Set<ObjectIdentifier>] = [:]
    var uses = 0
    var workers = 0
    var hasDispatcher = false
  }

  let state = Mutex(State())
  /// `nil` if the system has no more watchers. Then there is only polling.
  let watcher: Watcher?
  let workerLimit: Int
  let awakeLimit: Int
  private let pollInterval: Duration

  /// The longest time without a synchronisation, even if nothing happens: some duties depend on time alone.
  private static let longestRest = Duration.seconds(600)

  /// The longest pause after failures.
  private static let longestPause = Duration.seconds(60)

  /// Makes a centre without starting a thread.
  ///
  /// - Parameters:
  ///   - workerLimit: the number of threads that synchronise at once. One more thread waits for events.
  ///   - awakeLimit: the number of unused stores that keep their files open.
  package init(
    workerLimit: Int = 3, awakeLimit: Int = 16, pollInterval: Duration = .seconds(5)
  ) {
    self.workerLimit = workerLimit
    self.awakeLimit = awakeLimit
    self.pollInterval = pollInterval
    // Without a watcher, the threads poll.
    watcher = try? Watcher()
  }

  /// The number of open documents.
  package var count: Int { state.withLock { $0.entries.count } }

  func add(_ session: DocumentSession) {
    let pause = pollInterval
    state.withLock { state in
      state.uses += 1
      var entry = Entry(session: session, due: .now + pause)
      entry.lastUse = state.uses
      state.entries[ObjectIdentifier(session)] = entry
    }
    rest()
    renewWatches(session)
    ensureDispatcher()
  }

  func remove(_ session: DocumentSession) {
    let tokens = state.withLock { state -> Set<WatchToken> in
      let id = ObjectIdentifier(session)
      return state.disown(state.entries.removeValue(forKey: id)?.watches.all ?? [], id)
    }
    for token in tokens { watcher?.unwatch(token) }
    watcher?.wake()
  }

  /// Schedules a synchronisation of a document after a delay, unless one is due sooner.
  func schedule(_ session: DocumentSession, after delay: Duration) {
    let due = ContinuousClock.now + delay
    state.withLock { state in
      guard let entry = state.entries[ObjectIdentifier(session)], entry.due > due else { return }
      state.entries[ObjectIdentifier(session)]?.due = due
    }
    watcher?.wake()
  }

  /// Runs `body`, which uses a document's store, and then closes the files of stores that have not been used
  /// for a long time.
  func using<Result>(_ session: DocumentSession, _ body: () throws -> Result) rethrows -> Result {
    let id = ObjectIdentifier(session)
    state.withLock { state in
      state.uses += 1
      state.entries[id]?.lastUse = state.uses
      state.entries[id]?.uses += 1
      state.entries[id]?.isAwake = true
      state.entries[id]?.storeFiles = nil
    }
    defer {
      state.withLock { $0.entries[id]?.uses -= 1 }
      rest()
    }
    return try body()
  }

  /// Closes the files of the least recently used stores beyond the limit.
  private func rest() {
    while true {
      let oldest = state.withLock { state -> DocumentSession? in
        let awake = state.entries.filter { $0.value.isAwake && $0.value.uses == 0 }
        guard awake.count > awakeLimit,
          let oldest = awake.min(by: { $0.value.lastUse < $1.value.lastUse })
        else { return nil }
        state.entries[oldest.key]?.isAwake = false
        return oldest.value.session
      }
      guard let oldest else { return }
      // A store that was closed meanwhile has no files open. A read inside a write of the same store cannot
      // wait for itself.
      if !oldest.store.isWriting { try? oldest.store.rest() }
      let files = oldest.storeFiles()
      state.withLock { state in
        let id = ObjectIdentifier(oldest)
        if state.entries[id]?.isAwake == false { state.entries[id]?.storeFiles = files }
      }
    }
  }

  // MARK: Working

  /// Returns the time between checks that nothing has prompted. It is longer if there are many documents.
  private func interval(_ count: Int, _ failures: Int) -> Duration {
    if failures > 0 { return min(.seconds(1) * (1 << min(failures, 6)), Self.longestPause) }
    return max(pollInterval, .milliseconds(50) * count)
  }

  /// Takes a document that is due.
  func take() -> DocumentSession? {
    state.withLock { state in
      let now = ContinuousClock.now
      let due = state.entries.filter { !$0.value.isRunning && $0.value.due <= now }
      guard let next = due.min(by: { $0.value.due < $1.value.due }) else { return nil }
      let interval = interval(state.entries.count, next.value.failures)
      state.entries[next.key]?.isRunning = true
      // A commit in the meantime makes it due sooner.
      state.entries[next.key]?.due = now + interval
      return next.value.session
    }
  }

  /// Whether nothing has happened, since the last synchronisation, to a document whose store is closed.
  private func isQuiet(_ session: DocumentSession, _ arrivals: [DirectoryStamp]?) -> Bool {
    let entry = state.withLock { $0.entries[ObjectIdentifier(session)] }
    guard let entry, !entry.isAwake, entry.failures == 0, !session.hasUnsavedChanges,
      let arrivals, arrivals == entry.arrivals,
      let files = entry.storeFiles, session.storeFiles() == files,
      let last = entry.synchronized, ContinuousClock.now - last < Self.longestRest
    else { return false }
    return true
  }

  /// Synchronises a document that was taken, unless nothing has happened to it.
  ///
  /// - Returns: whether it was synchronised.
  @discardableResult
  package func work(_ session: DocumentSession) -> Bool {
    let arrivals = session.arrivals()
    if isQuiet(session, arrivals) {
      state.withLock { $0.entries[ObjectIdentifier(session)]?.isRunning = false }
      return false
    }
    var hasFailed = false
    var isIdle = false
    do {
      let report = try using(session) { try session.synchronize() }
      hasFailed = report.failure != nil
      isIdle = report.isEmpty
    } catch {
      // The session keeps the error in its state.
      hasFailed = true
    }
    renewWatches(session)
    state.withLock { state in
      let count = state.entries.count
      guard var entry = state.entries[ObjectIdentifier(session)] else { return }
      entry.isRunning = false
      entry.failures = hasFailed ? entry.failures + 1 : 0
      entry.arrivals = isIdle ? arrivals : nil
      entry.synchronized = .now
      if hasFailed { entry.due = .now + interval(count, entry.failures) }
      state.entries[ObjectIdentifier(session)] = entry
    }
    return true
  }
}
