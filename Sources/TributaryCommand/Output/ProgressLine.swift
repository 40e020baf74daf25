import Glibc
import Synchronization

/// Shows the progress, the rate and the remaining time of an operation, at most a few times a
/// second.
package final class ProgressLine: Sendable {
  private let output: Output
  private let state = Mutex(State())

  private struct State {
    var lastShown: UInt64 = 0
    var estimate: ProgressEstimate?
  }

  private static let intervalNanoseconds: UInt64 = 100_000_000

  package init(_ output: Output) { self.output = output }

  /// Shows the progress.
  ///
  /// - Parameter total: `nil` if the end is not known.
  package func show(_ stage: String, done: Int, total: Int?) {
    guard output.isErrorTerminal else { return }
    let now = Self.now()
    let text = state.withLock { state -> String? in
      if state.estimate?.stage != stage {
        state.estimate = ProgressEstimate(stage: stage, done: done, nanoseconds: now)
      }
      guard now - state.lastShown >= Self.intervalNanoseconds else { return nil }
      state.lastShown = now
      return state.estimate?.text(done: done, total: total, nanoseconds: now)
    }
    if let text { output.showProgress(text) }
  }

  /// Removes the line.
  func finish() { output.clearProgress() }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
