import Synchronization
import TributaryContainer
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Keeps one store of a service synchronised, in turns.
///
/// Unchecked but safe to send: mutable state is locked, or used only in the turns, which never overlap.
final class StoreService: @unchecked Sendable {
  let store: ServedStore
  private let observer: any SyncServiceObserver
  private let environment: StoreEnvironment
  private let groups: ExecutorGroups
  private let imports: ServedImports?
  private let stop = StopSignal()
  private let watcher: WatchShare
  private let known = Mutex((session: SyncSession?.none, past: StoreMetrics(), isOpen: false))
  /// What had been done in the end, before the store was closed.
  private let last = Mutex<ServiceMetrics?>(nil)

  private var session: SyncSession?
  private var run: WatchRun?
  /// What was reported before the store was closed.
  private var filter = ReportFilter()
  private var pause = GrowingPause()
  private var hasReseeded = false

  init(
    _ store: ServedStore, observer: any SyncServiceObserver, environment: StoreEnvironment,
    groups: ExecutorGroups, watcher: WatchShare, imports: ServedImports?
  ) {
    self.environment = environment
    self.store = store
    self.observer = observer
    self.groups = groups
    self.watcher = watcher
    self.imports = imports
  }

  /// Ends after publishing what is committed.
  func end() {
    stop.stop()
    watcher.wake()
  }

  var metrics: ServiceMetrics {
    if let last = last.withLock({ $0 }) { return last }
    let (session, past, isOpen) = known.withLock { $0 }
    var metrics = ServiceMetrics(store: session.map { past.adding($0.metrics()) } ?? past)
    metrics.isOpen = isOpen
    imports?.measure(&metrics)
    return metrics
  }

  func turn() -> Roster.Next {
    if stop.isStopped {
      finish()
      return .never
    }
    do {
      let run = try self.run ?? open()
      let next = try run.advance(watcher.take(), didImport: didImport) { report in
        pause.reset()
        try observer.didReport(report, of: store)
      }
      if stop.isStopped {
        finish()
        return .never
      }
      switch next {
      case .pause(let end): return .notBefore(end)
      case .wait(let end): return .at(end)
      }
    } catch {
      return fail(error)
    }
  }

  private func open() throws -> WatchRun {
    let session = try openSession()
    try imports?.begin(session)
    stop.attach(watcher, session.environment.executor)
    observer.didOpen(store)
    if store.reseeds, !hasReseeded {
      let report = try session.synchronize(reseed: true, didImport: didImport)
      if !report.isEmpty { try observer.didReport(report, of: store) }
      hasReseeded = true
    }
    let run = try WatchRun(
      session, watcher: watcher, intervalMilliseconds: store.interval, rests: true, stop: stop,
      filter: filter)
    self.run = run
    known.withLock { $0.isOpen = true }
    return run
  }

  private func openSession() throws -> SyncSession {
    var environment = environment
    let local = try environment.openStore(at: store.path)
    let limit = Duration.milliseconds(store.containerLimit)
    environment.containerLimit = limit
    environment.fileSystem = BoundedFileSystem(
      environment.fileSystem,
      executor: BoundedExecutor(
        limit: limit, group: groups.group(of: try local.identity().container)))
    let session = SyncSession(store: local, environment: environment)
    self.session = session
    known.withLock { $0.session = session }
    return session
  }

  private func didImport(_ imported: SyncReport.Imported) throws { try imports?.note(imported) }

  private func fail(_ error: any Error) -> Roster.Next {
    if let session {
      session.measureFailure()
    } else {
      let now = environment.clock.milliseconds()
      known.withLock { known in
        known.past.errors += 1
        known.past.failingSince = known.past.failingSince ?? now
      }
    }
    close()
    if stop.isStopped { return ended() }
    // The database will be unlocked at some point.
    let isLocked = SyncError(locked: error) != nil
    guard observer.didFail(error, of: store) || isLocked else { return ended() }
    return .notBefore(.now + (isLocked ? .milliseconds(store.interval) : pause.take()))
  }

  private func close() {
    imports?.suspend()
    watcher.end()
    if let run { filter = run.filter }
    run = nil
    guard let session else { return }
    stop.detach(watcher, session.environment.executor)
    known.withLock { known in
      known.past = known.past.adding(session.metrics())
      known.session = nil
      known.isOpen = false
    }
    session.store.close()
    self.session = nil
  }

  /// Publishes what is committed, even if the store has not been opened yet, and closes the store.
  private func finish() {
    do {
      let report = try (session ?? openSession()).publish()
      // An unreachable container has been reported before.
      if report.published.transactions > 0 { try observer.didReport(report, of: store) }
    } catch {
      // If another writer prevents publishing, this is done when the store is opened again.
      if SyncError(locked: error) == nil { _ = observer.didFail(error, of: store) }
    }
    _ = ended()
  }

  private func ended() -> Roster.Next {
    if let imports {
      // This needs the store.
      imports.stop()
      imports.join()
    }
    let metrics = metrics
    last.withLock { $0 = metrics }
    close()
    return .never
  }
}
