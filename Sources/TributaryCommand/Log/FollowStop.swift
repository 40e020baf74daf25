import Synchronization
import TributaryFiles

/// Stops following logs, even while the follower waits.
final class FollowStop: Sendable {
  let watcher: Watcher
  private let stopped = Atomic(false)

  init(_ watcher: Watcher) { self.watcher = watcher }

  var isStopped: Bool { stopped.load(ordering: .acquiring) }

  /// Stops it. Any thread may call this.
  func stop() {
    stopped.store(true, ordering: .releasing)
    watcher.wake()
  }
}
