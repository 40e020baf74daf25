import Glibc
import Synchronization
import TributaryFiles

/// Tells a watch to end, or to look at once.
public final class StopSignal: Sendable {
  private struct State {
    var isStopped = false
    var watcher: Watcher?
  }

  private let state = Mutex(State())

  public init() {}

  public var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Ends the watch soon. Not for use in a signal handler.
  public func stop() {
    state.withLock { state in
      state.isStopped = true
      state.watcher?.wake()
    }
  }

  /// Has the watch look at once.
  public func wake() { state.withLock { $0.watcher?.wake() } }

  /// Waits, in steps short enough to notice a stop.
  public func sleep(for duration: Duration) {
    let end = ContinuousClock.now + duration
    while !isStopped, ContinuousClock.now < end {
      usleep(UInt32(clamping: Int((end - .now) / .microseconds(1)).clamped(to: 0...50_000)))
    }
  }

  func attach(_ watcher: Watcher?) { state.withLock { $0.watcher = watcher } }
}

extension Int {
  fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
