import Glibc
import Synchronization
import TributaryFiles

/// Tells a watch to end, or to look immediately.
package final class StopSignal: Sendable {
  private struct State {
    var isStopped = false
    /// The watchers, one for each store.
    var attached: [ObjectIdentifier: (watcher: any Watching, executor: BoundedExecutor?)] = [:]
  }

  /// How much longer an operation on the container may take after a stop.
  private static let grace = Duration.seconds(1)

  private let state = Mutex(State())

  package init() {}

  package var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Ends the watch soon. Must not be called in a signal handler.
  package func stop() {
    state.withLock { state in
      state.isStopped = true
      for (watcher, executor) in state.attached.values {
        watcher.wake()
        executor?.finish(within: Self.grace)
      }
    }
  }

  /// Makes the watch look immediately.
  package func wake() {
    state.withLock { for (watcher, _) in $0.attached.values { watcher.wake() } }
  }

  /// Sleeps in steps short enough to notice a stop.
  package func sleep(for duration: Duration) {
    let end = ContinuousClock.now + duration
    while !isStopped, ContinuousClock.now < end {
      usleep(UInt32(clamping: Int((end - .now) / .microseconds(1)).clamped(to: 0...50_000)))
    }
  }

  func attach(_ watcher: any Watching, _ executor: BoundedExecutor?) {
    state.withLock { $0.attached[ObjectIdentifier(watcher)] = (watcher, executor) }
  }

  func detach(_ watcher: any Watching, _ executor: BoundedExecutor?) {
    _ = state.withLock { $0.attached.removeValue(forKey: ObjectIdentifier(watcher)) }
    executor?.finish(within: nil)
  }
}

extension Int {
  fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
