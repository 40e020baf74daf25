import Synchronization
import TributaryCommand
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync

/// A store that a C program has open.
final class StoreHandle: Sendable {
  let path: String
  let gate = CallbackGate()

  private let store: LocalStore
  private let session: SyncSession
  private let watch = Mutex(Watch())

  /// The thread of a store.
  private struct Watch {
    var isClosed = false
    var running: (stop: StopSignal, thread: WorkerThread)?
  }

  /// Opens a store.
  ///
  /// - Parameter containerLimit: in milliseconds; `nil` means the default.
  init(path: String, containerLimit: Int? = nil) throws {
    try StorePath.check(path)
    let path = StorePath.absolute(path)
    self.path = path
    let environment =
      containerLimit.map { StoreEnvironment(containerLimit: .milliseconds($0)) }
      ?? StoreEnvironment()
    store = try environment.openStore(at: path)
    session = SyncSession(store: store, environment: environment)
  }

  // MARK: Once

  /// Publishes and imports, and reports what was imported.
  func synchronize(reseed: Bool) throws -> SyncReport {
    var imported = SyncReport.Imported()
    var conflicts: Int?
    // A callback may use the store: no lock is held at this point. What is committed is reported even if a
    // later step fails.
    defer { tell(imported, conflicts: conflicts ?? imported.conflicts.count) }
    var report = try session.synchronize(reseed: reseed) { imported.append($0) }
    conflicts = report.conflicts
    report.imported = imported
    return report
  }

  func status() throws -> StatusReport { try session.status() }

  func digest() throws -> String { try store.digest().total }

  func conflicts(ended: Bool) throws -> [Conflict] { try session.conflicts(ended: ended) }

  func resolve(_ conflict: String, _ resolution: Resolution) throws {
    try session.resolve(conflict, resolution)
  }

  // MARK: By its thread

  /// Starts the thread, unless it is running.
  func start(intervalMilliseconds: Int) throws {
    try watch.withLock { watch in
      guard !watch.isClosed else { throw StoreHandles.unknown() }
      guard watch.running == nil else { return }
      let stop = StopSignal()
      let thread = try WorkerThread(name: "tributary") { [self] in
        run(intervalMilliseconds, stop)
      }
      watch.running = (stop, thread)
    }
  }

  /// Ends the thread, and waits for its end unless it is the calling thread.
  func stop() {
    guard let running = watch.withLock({ $0.running.take() }) else { return }
    running.stop.stop()
    if !running.thread.isCurrent { running.thread.join() }
  }

  /// Ends everything. Running calls continue to their end.
  func close() {
    watch.withLock { $0.isClosed = true }
    stop()
    gate.end()
    store.close()
  }

  private func run(_ interval: Int, _ stop: StopSignal) {
    var pause = GrowingPause()
    // What is committed but not reported yet. It is reported when no lock is held.
    var imported = SyncReport.Imported()
    func tellImported(conflicts: Int? = nil) {
      tell(imported, conflicts: conflicts ?? imported.conflicts.count)
      imported = SyncReport.Imported()
    }
    while !stop.isStopped {
      do {
        try session.watch(intervalMilliseconds: interval, stop: stop) {
          imported.append($0)
        } onReport: { report in
          pause.reset()
          tellImported(conflicts: report.conflicts)
          if let failure = report.failure ?? DamageError(report) { gate.tell(failure) }
        }
      } catch {
        tellImported()
        // After a stop, the only error is that the store was closed.
        if stop.isStopped { return }
        session.measureFailure()
        gate.tell(error)
        stop.sleep(for: pause.take())
      }
    }
  }

  private func tell(_ imported: SyncReport.Imported, conflicts: Int) {
    guard !imported.isEmpty else { return }
    gate.tell {
      var report = SyncReport()
      report.imported = imported
      report.conflicts = conflicts
      return report.json(of: path)
    }
  }
}
