import Glibc
import Synchronization

/// Shows how far work has come, a few times a second at most.
package final class ProgressLine: Sendable {
  private let output: Output
  private let lastShown = Mutex<UInt64>(0)

  private static let intervalNanoseconds: UInt64 = 100_000_000

  package init(_ output: Output) { self.output = output }

  /// - Parameter total: `nil` when the end is not known.
  package func show(_ stage: String, done: Int, total: Int?) {
    guard output.isErrorTerminal else { return }
    let now = Self.now()
    let isDue = lastShown.withLock { last in
      guard now - last >= Self.intervalNanoseconds else { return false }
      last = now
      return true
    }
    guard isDue else { return }
    if let total, total > 0 {
      output.showProgress("\(stage) \(min(done, total) * 100 / total) %")
    } else {
      output.showProgress("\(stage) \(done)")
    }
  }

  /// Takes it away.
  func finish() { output.clearProgress() }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
