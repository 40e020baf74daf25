import TributaryFiles
import TributaryKeyValue
import TributarySync

/// The thread of a key-value store. It attaches the store when its container becomes available, and then
/// publishes and imports.
final class KeyValueWatch: Sendable {
  let stop = StopSignal()
  private let thread: WorkerThread

  /// Starts the thread.
  ///
  /// - Parameter session: returns the session of the attached store; `nil` if there is nothing left to do.
  init(
    interval: Duration, engine: KeyValueEngine,
    session: @escaping @Sendable () throws -> SyncSession?,
    report: @escaping @Sendable (SyncReport) -> Void
  ) throws {
    let stop = stop
    thread = try WorkerThread(name: "tributary-kv") {
      var known: String?
      while !stop.isStopped {
        do {
          guard let session = try session() else { return }
          known = nil
          try Self.run(session, interval, engine, stop, report)
        } catch {
          if stop.isStopped { return }
          // A problem that persists is reported once.
          if known != "\(error)" {
            known = "\(error)"
            var failed = SyncReport()
            failed.failure = error
            report(failed)
          }
          stop.sleep(for: interval)
        }
      }
    }
  }

  private static func run(
    _ session: SyncSession, _ interval: Duration, _ engine: KeyValueEngine, _ stop: StopSignal,
    _ report: (SyncReport) -> Void
  ) throws {
    session.store.onCommit { [weak stop] _ in stop?.wake() }
    try session.watch(
      intervalMilliseconds: Int(clamping: Int64(interval / .milliseconds(1))), stop: stop,
      didImport: engine.note, onReport: report)
  }

  /// Ends the thread, and waits for it unless it is the calling thread.
  func end() {
    stop.stop()
    if !thread.isCurrent { thread.join() }
  }
}
