import Synchronization
import TributaryCore
import TributaryFiles
import TributarySync

/// Keeps several stores synchronised, each on a separate thread, until a signal comes.
struct MultiStoreWatch: Sendable {
  let intervalMilliseconds: Int
  let environment: StoreEnvironment
  let reseeds: Bool
  let printer: SyncPrinter

  /// Runs the watches.
  ///
  /// - Returns: when all stores have stopped: after a signal, or by failures.
  func run(_ stores: [String]) throws -> ExitStatus {
    let stop = StopSignal()
    let outcomes = Outcomes()
    let waiter = try SignalWaiter { stop.stop() }
    defer { waiter.finish() }
    var threads: [WorkerThread] = []
    do {
      for store in stores {
        threads.append(
          try WorkerThread(name: "sync") {
            Wording.$current.withValue(.command) { watch(store, stop, outcomes) }
          })
      }
    } catch {
      stop.stop()
      for thread in threads { thread.join() }
      throw error
    }
    for thread in threads { thread.join() }
    return try outcomes.state.withLock { state in
      if let error = state.outputError { throw error }
      return state.status
    }
  }

  private func watch(_ store: String, _ stop: StopSignal, _ outcomes: Outcomes) {
    var status = ExitStatus.done
    var session: SyncSession?
    var obstacle = ""
    while true {
      do {
        try watch(store, stop, &session, &status)
      } catch let error as OutputError {
        // The output of the other stores has no reader any more either.
        outcomes.state.withLock { $0.outputError = error }
        stop.stop()
      } catch {
        if let locked = SyncError(locked: error) {
          // The database will be free some time.
          if obstacle != locked.message { _ = printer.fail(error) }
          obstacle = locked.message
          stop.sleep(for: .milliseconds(intervalMilliseconds))
          if !stop.isStopped { continue }
        } else {
          status = printer.fail(error)
        }
      }
      break
    }
    outcomes.state.withLock { [status] in $0.status = $0.status.combined(with: status) }
  }

  /// Watches a store.
  ///
  /// - Parameter session: opened when the store can be.
  private func watch(
    _ store: String, _ stop: StopSignal, _ session: inout SyncSession?, _ status: inout ExitStatus
  ) throws {
    let open = try session ?? SyncSession(store: store, environment: environment)
    func print(_ report: SyncReport) throws {
      guard !report.isEmpty else { return }
      // A container that is away comes back: watching outlives that, and so it is not a failure.
      if try printer.print(report, of: store) == .damage { status = .damage }
    }
    if reseeds, session == nil { try print(open.synchronize(reseed: true)) }
    session = open
    try open.watch(
      intervalMilliseconds: intervalMilliseconds, stop: stop, rests: true, onReport: print)
  }

  /// The results of the threads.
  private final class Outcomes: Sendable {
    struct State {
      var status = ExitStatus.done
      var outputError: OutputError?
    }

    let state = Mutex(State())
  }
}
