import Synchronization
import TributaryFiles

/// Keeps many stores synchronised in one process, with few threads and open files. One watcher observes all
/// of them, stores where something has happened take turns, and those where nothing happens are closed.
///
/// No store waits for another one that hangs, is locked or is damaged.
package final class SyncService: Sendable {
  private struct State {
    var stores: [String: (service: StoreService, job: Roster.Job)] = [:]
    /// The paths of the stores that are to end.
    var leaving: Set<String> = []
    /// The store that replaces one that is to end, by the path of the latter.
    var awaited: [String: ServedStore] = [:]
    /// What was done for stores that have ended since the stop.
    var ended: [(store: ServedStore, metrics: ServiceMetrics)] = []
    var isStopping = false
    var isStopped = false
  }

  private let observer: any SyncServiceObserver
  private let environment: StoreEnvironment
  private let groups = ExecutorGroups()
  private let watcher: SharedWatcher
  private let thread: WorkerThread
  private let roster = Roster(threads: SyncService.threads, most: SyncService.mostThreads)
  /// Commands may take a long time, and no store waits for them.
  private let handling = Roster(threads: SyncService.threads, most: SyncService.threads)
  private let state = Mutex(State())

  /// The number of stores that are worked on at a time, and of imports that are handled at a time.
  package static let threads = 4
  /// The number of stores that are worked on at a time if some are held up by a lock or a container that
  /// hangs.
  package static let mostThreads = 64

  /// Starts a service without stores.
  ///
  /// - Parameters:
  ///   - environment: the environment of all stores.
  ///   - didBeat: called for each beat, if beats were requested.
  /// - Throws: `FileError` if the system has no watcher or thread for it.
  package init(
    observer: any SyncServiceObserver, environment: StoreEnvironment = StoreEnvironment(),
    didBeat: @escaping @Sendable () -> Void = {}
  ) throws(FileError) {
    self.observer = observer
    self.environment = environment
    let watcher = try SharedWatcher()
    self.watcher = watcher
    thread = try WorkerThread(name: "watch") {
      do {
        try watcher.run(didBeat)
      } catch {
        // Looks that no event prompts continue. Beats end, since they would signal that all is well.
      }
    }
  }

  /// Why the service does not watch files but only polls; `nil` if it watches them.
  package var watchObstacle: FileError? { watcher.obstacle }

  /// Makes beats occur as long as both the working threads and the watching thread run.
  package func beat(every period: Duration) throws(FileError) {
    let watcher = watcher
    try perform(every: period) { watcher.wake() }
  }

  /// Does something at once and after each period, on a working thread, until all stores have ended.
  package func perform(
    every period: Duration, _ body: @escaping @Sendable () -> Void
  ) throws(FileError) {
    _ = try roster.add { [weak self] in
      guard let self, !self.state.withLock({ $0.isStopped }) else { return .never }
      body()
      return .at(.now + period)
    }
  }

  /// The stores that are kept synchronised, are being retried, or begin when another has ended, in the order
  /// of their paths.
  package var stores: [ServedStore] {
    state.withLock { state in
      state.stores.values.map(\.service.store).filter { !state.leaving.contains($0.path) }
        + state.awaited.values
    }.sorted { $0.path < $1.path }
  }

  /// What was done for each store, in the order of their paths; after a stop, also for those that have ended.
  package var metrics: [(store: ServedStore, metrics: ServiceMetrics)] {
    let (services, ended) = state.withLock { ($0.stores.values.map(\.service), $0.ended) }
    return (services.map { ($0.store, $0.metrics) } + ended).sorted { $0.0.path < $1.0.path }
  }

  /// Adds a store. If it cannot be opened, this is reported to the observer.
  ///
  /// - Throws: `FileError` if the system has no thread for it.
  package func add(_ store: ServedStore) throws(FileError) {
    try state.withLock { state throws(FileError) in try begin(store, &state) }
  }

  /// Begins with a store. It is among `stores` before its first turn.
  private func begin(_ store: ServedStore, _ state: inout State) throws(FileError) {
    let imports: ServedImports?
    if store.onImport != nil {
      imports = try ServedImports(store, observer, handling)
    } else {
      imports = nil
    }
    let waking = WakingJob()
    let service = StoreService(
      store, observer: observer, environment: environment, groups: groups,
      watcher: watcher.makeShare { [roster] in waking.wake(in: roster) }, imports: imports)
    let job = try roster.add { [weak self] in
      let next = service.turn()
      if case .never = next {
        waking.end()
        self?.didEnd(service)
      }
      return next
    }
    waking.set(job, in: roster)
    state.stores[store.path] = (service, job)
    if state.isStopping { end(service, job) }
  }

  /// Keeps exactly these stores synchronised from now on. Stores that are not among them, or differ, end
  /// after publishing what is committed. The call does not wait for that. A store that replaces one of them
  /// begins when that one has ended.
  ///
  /// - Returns: the stores that were added, and those that end. A store that differs is among both.
  package func replace(
    with stores: [ServedStore]
  ) throws(FileError) -> (added: [ServedStore], removed: [ServedStore]) {
    // The paths are resolved before locking, since disks may be slow.
    let known = state.withLock { $0.stores.values.map(\.service.store) }
    let places = Dictionary(
      (stores + known).map { ($0.path, Self.place(of: $0)) }, uniquingKeysWith: { a, _ in a })
    let (added, removed, free) = state.withLock { state in
      let all = state.stores.values.map(\.service.store)
      let present = all.filter { !state.leaving.contains($0.path) }
      let removed = present.filter { !stores.contains($0) }
      state.leaving.formUnion(removed.map(\.path))
      let added = stores.filter { !present.contains($0) }
      // A store has one session at a time.
      let busy = Dictionary(
        state.leaving.map { (places[$0] ?? $0, $0) }, uniquingKeysWith: { a, _ in a })
      state.awaited = [:]
      var free: [ServedStore] = []
      for store in added {
        if let leaving = busy[places[store.path] ?? store.path] {
          state.awaited[leaving] = store
        } else {
          free.append(store)
        }
      }
      return (added, removed, free)
    }
    let jobs = state.withLock { state in removed.compactMap { state.stores[$0.path] } }
    for (service, job) in jobs { end(service, job) }
    for store in free { try add(store) }
    return (added, removed)
  }

  /// Returns the path of a store without symbolic links, or the path as written if they cannot be followed.
  private static func place(of store: ServedStore) -> String {
    (try? LocalFileSystem().resolve(store.path)) ?? store.path
  }

  /// Makes all stores end after publishing what is committed. Any thread may call this.
  package func stop() {
    let all = state.withLock { state in
      state.isStopping = true
      return Array(state.stores.values)
    }
    for (service, job) in all { end(service, job) }
  }

  private func end(_ service: StoreService, _ job: Roster.Job) {
    service.end()
    roster.hurry(job)
  }

  /// Waits until all stores have ended, either after `stop` or because the observer wants none of them to be
  /// retried.
  package func join() {
    while let (_, job) = state.withLock({ $0.stores.values.first }) { roster.join(job) }
    state.withLock { $0.isStopped = true }
    watcher.finish()
    thread.join()
  }

  private func didEnd(_ service: StoreService) {
    let failure = state.withLock { state -> (store: ServedStore, error: FileError)? in
      if state.isStopping { state.ended.append((service.store, service.metrics)) }
      if state.stores[service.store.path]?.service === service {
        state.stores[service.store.path] = nil
        state.leaving.remove(service.store.path)
      }
      guard let next = state.awaited.removeValue(forKey: service.store.path), !state.isStopping
      else { return nil }
      do throws(FileError) {
        try begin(next, &state)
        return nil
      } catch {
        return (next, error)
      }
    }
    // Without a thread, only a reload would try the store again.
    if let failure { _ = observer.didFail(failure.error, of: failure.store) }
  }

  /// A job, for a watcher that is created before it.
  private final class WakingJob: Sendable {
    private let state = Mutex((job: Roster.Job?.none, isWoken: false, isEnded: false))

    /// Releases the job, which otherwise keeps itself alive.
    func end() { state.withLock { $0 = (job: nil, isWoken: false, isEnded: true) } }

    func set(_ job: Roster.Job, in roster: Roster) {
      let isWoken = state.withLock { state in
        if !state.isEnded { state.job = job }
        return state.isWoken
      }
      if isWoken { roster.wake(job) }
    }

    func wake(in roster: Roster) {
      let job = state.withLock { state in
        state.isWoken = true
        return state.job
      }
      if let job { roster.wake(job) }
    }
  }
}
