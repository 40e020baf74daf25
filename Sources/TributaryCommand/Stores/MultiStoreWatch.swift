import Glibc
import Synchronization
import TributaryCore
import TributaryFiles
import TributarySync

/// Keeps several stores synchronised until a signal arrives, and prints what is done.
struct MultiStoreWatch: Sendable {
  let stores: [ServedStore]
  let printer: SyncPrinter
  let metrics: MetricsTarget?

  /// Runs the watches.
  ///
  /// - Returns: the exit status, when all stores have stopped after a signal or because of
  ///   failures.
  func run() throws -> ExitStatus {
    AllocatorPolicy.giveBack()
    let observer = WatchObserver(printer: printer)
    let service = try SyncService(observer: observer)
    if let obstacle = service.watchObstacle { printer.output.note("\(obstacle)") }
    observer.stopsAll { service.stop() }
    let waiter = try SignalWaiter(for: [SIGINT, SIGTERM]) { [output = printer.output] signal in
      if observer.isStoppingAgain() {
        observer.commands.terminate()
      } else {
        service.stop()
        // A user who presses Ctrl-C may wonder what is still running.
        if signal == SIGINT, let notice = observer.commands.notice { output.note(notice) }
      }
      return true
    }
    defer { waiter.finish() }
    try metrics?.check(stores: stores.map(\.path), configuration: nil)
    let publisher: MetricsPublisher?
    do {
      for store in stores { try service.add(store) }
      publisher = try metrics.map { target in
        try MetricsPublisher(target, of: service) { [output = printer.output] in output.problem($0)
        }
      }
    } catch {
      service.stop()
      service.join()
      throw error
    }
    defer { publisher?.finish() }
    service.join()
    return try observer.status()
  }
}

/// Prints what a watch does.
private final class WatchObserver: SyncServiceObserver {
  private struct State {
    var status = ExitStatus.done
    var outputError: OutputError?
    /// Why stores are locked, by their paths.
    var obstacles: [String: String] = [:]
    /// Why commands on import fail, by the paths of the stores.
    var handling: [String: RepeatedFailures] = [:]
    var stop: (@Sendable () -> Void)?
    var isStopping = false
  }

  private let printer: SyncPrinter
  let commands = RunningCommands()
  private let state = Mutex(State())

  init(printer: SyncPrinter) { self.printer = printer }

  func stopsAll(_ stop: @escaping @Sendable () -> Void) { state.withLock { $0.stop = stop } }

  /// Notes a signal.
  ///
  /// - Returns: whether there was an earlier one.
  func isStoppingAgain() -> Bool {
    state.withLock { state in
      defer { state.isStopping = true }
      return state.isStopping
    }
  }

  func status() throws -> ExitStatus {
    try state.withLock { state in
      if let error = state.outputError { throw error }
      return state.status
    }
  }

  func didOpen(_ store: ServedStore) {}

  func didReport(_ report: SyncReport, of store: ServedStore) throws {
    guard !report.isEmpty else { return }
    // The logs of a deleted document do not come back, and must not come back.
    if report.failure != nil { try DocumentArguments.checkNotDeleted(store.path) }
    // An absent container is not a failure: watching continues until it comes back.
    if try printer.print(report, of: store.path) == .damage { note(.damage) }
  }

  func didFail(_ error: any Error, of store: ServedStore) -> Bool {
    if let error = error as? OutputError {
      // The output of the other stores no longer has a reader either.
      let stop = state.withLock { state in
        state.outputError = error
        return state.stop
      }
      stop?()
      return false
    }
    guard let locked = SyncError(locked: error) else {
      note(printer.fail(error))
      return false
    }
    let isKnown = state.withLock { state in
      defer { state.obstacles[store.path] = locked.message }
      return state.obstacles[store.path] == locked.message
    }
    if !isKnown { _ = printer.fail(error) }
    return true
  }

  func handle(_ report: SyncReport, of store: ServedStore) throws {
    guard let command = store.onImport else { return }
    try ImportCommand(command, among: commands).run(input: report.json(of: store.path) + "\n")
    let failures = state.withLock { $0.handling.removeValue(forKey: store.path)?.total }
    if let failures {
      printer.output.note(
        "\(store.path): the command of --on-import has succeeded again, after \(counted(failures, "failure"))"
      )
    }
  }

  func didFailToHandle(_ error: any Error, of store: ServedStore) {
    let text = errorText(error)
    let count = state.withLock { $0.handling[store.path, default: RepeatedFailures()].note(text) }
    guard let count else { return }
    printer.output.problem(count == 1 ? text : "\(text) (\(count) times)")
  }

  private func note(_ status: ExitStatus) {
    state.withLock { $0.status = $0.status.combined(with: status) }
  }
}
