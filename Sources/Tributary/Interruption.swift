import Synchronization
import TributarySQLite
import TributaryStore

/// The cancellation of one read or write.
final class Interruption: Sendable {
  private enum State {
    case idle
    /// Valid until the state changes.
    case running(Connection.Interrupter)
    case cancelled
  }

  private let state = Mutex(State.idle)

  /// Interrupts what runs, or prevents it from running.
  func interrupt() {
    state.withLock { state in
      // Under the lock, so that the connection is still in use by this call alone.
      if case .running(let interrupter) = state { interrupter.interrupt() }
      state = .cancelled
    }
  }

  /// - Throws: `CancellationError` after `interrupt`.
  func check() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Runs `body`, which `interrupt` can interrupt.
  ///
  /// - Throws: `CancellationError` if it was; otherwise, what `body` throws.
  func guarding<Result>(_ database: Database, _ body: () throws -> Result) throws -> Result {
    let interrupter = database.connection.interrupter
    try state.withLock { state in
      if case .cancelled = state { throw CancellationError() }
      state = .running(interrupter)
    }
    do {
      let result = try body()
      try end()
      return result
    } catch {
      try end()
      throw error
    }
  }

  private func end() throws {
    try state.withLock { state in
      if case .cancelled = state { throw CancellationError() }
      state = .idle
    }
  }

  private var isCancelled: Bool {
    state.withLock { if case .cancelled = $0 { true } else { false } }
  }
}
