import Glibc
import Synchronization
import TributaryFiles

/// Waits for SIGINT and SIGTERM on a separate thread, where any action is allowed.
///
/// Throughout its lifetime, the two signals are blocked in the thread that made it, and must be in
/// all others.
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

  /// Starts waiting.
  ///
  /// - Parameter action: called once, at the first signal.
  package init(_ action: @escaping @Sendable () -> Void) throws(FileError) {
    Self.setMask(SIG_BLOCK)
    let shared = shared
    do {
      thread = try WorkerThread(name: "signals") {
        let own = pthread_self()
        shared.state.withLock { $0 = .waiting(own) }
        var signals = Self.signals
        var received: Int32 = 0
        if !shared.isFinished.load(ordering: .acquiring) {
          sigwait(&signals, &received)
          if !shared.isFinished.load(ordering: .acquiring) { action() }
        }
        shared.state.withLock { $0 = .ended }
      }
    } catch {
      Self.setMask(SIG_UNBLOCK)
      throw error
    }
  }

  /// Ends the waiting; must be called from the thread that made it.
  package func finish() {
    shared.isFinished.store(true, ordering: .releasing)
    send(SIGTERM)
    thread.join()
    Self.setMask(SIG_UNBLOCK)
  }

  /// Sends a signal to the waiting thread, and to no other.
  ///
  /// - Returns: whether the thread is waiting by now.
  @discardableResult
  package func send(_ signal: Int32) -> Bool {
    shared.state.withLock { state in
      // Under the lock, the thread cannot end meanwhile.
      guard case .waiting(let thread) = state else { return false }
      pthread_kill(thread, signal)
      return true
    }
  }

  private static var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    return signals
  }

  private static func setMask(_ how: Int32) {
    var signals = signals
    pthread_sigmask(how, &signals, nil)
  }
}
