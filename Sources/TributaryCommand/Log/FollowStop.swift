import Synchronization
import TributaryFiles

/// Ends the following of logs, also while it waits.
final class FollowStop: Sendable {
  let watcher: Watcher
  private let stopped = Atomic(false)

  init(_ watcher: Watcher) { self.watcher = watcher }

  var isStopped: Bool { stopped.load(ordering: .acquiring) }

  /// From any thread.
  func stop() {
    stopped.store(true, ordering: .releasing)
    watcher.wake()
  }
}
