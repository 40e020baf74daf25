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
  func wake() { state.withLock { $0.watcher?.wake() } }

  func attach(_ watcher: Watcher?) { state.withLock { $0.watcher = watcher } }
}
