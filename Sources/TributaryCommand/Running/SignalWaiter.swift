import Glibc
import Synchronization
import TributaryFiles

/// Waits for signals on a separate thread, where any action is allowed.
///
/// Throughout its lifetime, the signals are blocked in the thread that made it, and must be blocked
/// in all others.
package final class SignalWaiter: Sendable {
  private enum State {
    case starting
    case waiting(pthread_t)
    case ended
  }

  private final class Shared: Sendable {
    let state = Mutex(State.starting)
    let isFinished = Atomic(false)
  }

  private let shared = Shared()
  private let thread: WorkerThread
  private let signals: [Int32]

  /// Starts waiting for SIGINT and SIGTERM.
  ///
  /// - Parameter action: called once, at the first signal.
  package convenience init(_ action: @escaping @Sendable () -> Void) throws(FileError) {
    try self.init(for: [SIGINT, SIGTERM]) { _ in
      action()
      return false
    }
  }

  /// Starts waiting.
  ///
  /// - Parameter action: called for each signal, until it returns false.
  package init(
    for signals: [Int32], _ action: @escaping @Sendable (Int32) -> Bool
  ) throws(FileError) {
    self.signals = signals
    Self.setMask(signals, SIG_BLOCK)
    let shared = shared
    do {
      thread = try WorkerThread(name: "signals") {
        let own = pthread_self()
        shared.state.withLock { $0 = .waiting(own) }
        var set = Self.set(signals)
        var received: Int32 = 0
        while !shared.isFinished.load(ordering: .acquiring) {
          sigwait(&set, &received)
          if shared.isFinished.load(ordering: .acquiring) || !action(received) { break }
        }
        shared.state.withLock { $0 = .ended }
      }
    } catch {
      Self.setMask(signals, SIG_UNBLOCK)
      throw error
    }
  }

  /// Waits until the action has returned false.
  package func join() { thread.join() }

  /// Ends the waiting. Must be called from the thread that made this object.
  package func finish() {
    shared.isFinished.store(true, ordering: .releasing)
    send(SIGTERM)
    thread.join()
    Self.setMask(signals, SIG_UNBLOCK)
  }

  /// Sends a signal to the waiting thread, and to no other.
  ///
  /// - Returns: whether the thread is waiting.
  @discardableResult
  package func send(_ signal: Int32) -> Bool {
    shared.state.withLock { state in
      // Under the lock, the thread cannot end meanwhile.
      guard case .waiting(let thread) = state else { return false }
      pthread_kill(thread, signal)
      return true
    }
  }

  private static func set(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    // Ends the waiting.
    for signal in signals + [SIGTERM] { sigaddset(&set, signal) }
    return set
  }

  private static func setMask(_ signals: [Int32], _ how: Int32) {
    var set = set(signals)
    pthread_sigmask(how, &set, nil)
  }
}
