import Synchronization
import TributaryFiles
import TributarySQLite

/// Passes the imports into one store to the observer, on a separate thread, until each is handled.
final class ServedImports: Sendable {
  private struct State {
    var queue: ImportQueue?
    var wasOpen = false
    var pause = GrowingPause()
    var isStopped = false
    /// The time after which no further import is begun, once this was stopped.
    var end: ContinuousClock.Instant?
    var job: Roster.Job?
    var queued = 0
    var handled: UInt64 = 0
    var errors: UInt64 = 0
  }

  private let store: ServedStore
  private let observer: any SyncServiceObserver
  private let roster: Roster
  private let state = Mutex(State())

  /// After a stop, waiting imports are still handled for this long. The rest is handled when the service
  /// starts again.
  private static let grace = Duration.seconds(10)

  init(
    _ store: ServedStore, _ observer: any SyncServiceObserver, _ roster: Roster
  ) throws(FileError) {
    self.store = store
    self.observer = observer
    self.roster = roster
    let job = try roster.add { [weak self] in self?.turn() ?? .never }
    state.withLock { $0.job = job }
  }

  /// Passes on the imports of a session that was just opened, and those that earlier sessions have left.
  func begin(_ session: SyncSession) throws {
    let queue = try ImportQueue(
      session, name: store.onImport ?? "", isContinued: state.withLock(\.wasOpen))
    state.withLock { state in
      state.queue = queue
      state.wasOpen = true
      state.pause.reset()
    }
    wake()
  }

  /// Ends the imports of a session that is about to be closed.
  func suspend() { state.withLock { $0.queue = nil } }

  func note(_ imported: SyncReport.Imported) throws {
    try state.withLock { $0.queue }?.note(imported)
    wake()
  }

  func wake() { if let job = state.withLock({ $0.job }) { roster.wake(job) } }

  /// Handles the waiting imports, without repeating those that fail, and ends.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.end = .now + Self.grace
    }
    if let job = state.withLock({ $0.job }) { roster.hurry(job) }
  }

  /// Waits until handling has ended, after `stop`.
  func join() { if let job = state.withLock({ $0.job }) { roster.join(job) } }

  func measure(_ metrics: inout ServiceMetrics) {
    state.withLock { state in
      metrics.handles = true
      metrics.queued = UInt64(state.queued)
      metrics.handled = state.handled
      metrics.handlingErrors = state.errors
    }
  }

  private func turn() -> Roster.Next {
    while true {
      let (queue, end) = state.withLock { ($0.queue, $0.end) }
      if let end, end <= .now { return .never }
      guard let queue else { return end == nil ? .whenWoken : .never }
      do {
        guard let pending = try queue.next() else {
          state.withLock { $0.queued = 0 }
          return end == nil ? .whenWoken : .never
        }
        let queued = try queue.count()
        state.withLock { $0.queued = queued }
        var report = SyncReport()
        report.imported = pending.imported
        report.conflicts = pending.conflicts
        try observer.handle(report, of: store)
        try queue.didHandle(pending)
        state.withLock { state in
          state.handled += 1
          state.queued = max(0, state.queued - 1)
          state.pause.reset()
        }
      } catch {
        observer.didFailToHandle(error, of: store)
        return state.withLock { state in
          state.errors += 1
          return state.isStopped ? .never : .notBefore(.now + state.pause.take())
        }
      }
    }
  }
}
