internal import Synchronization

/// One watcher shared by many observers of files, since a system allows a user only a few watchers.
///
/// A directory that several of them watch is watched once, and each receives its events.
package final class SharedWatcher: Sendable {
  private let watcher: Watcher
  private let state = Mutex(SharedWatches())
  private let isFinished = Atomic(false)

  /// Makes a watcher. *inotify_init1(2)*
  ///
  /// - Throws: `FileError` if the limit of open files is reached.
  package init() throws(FileError) { watcher = try Watcher() }

  /// Why nothing is watched; `nil` if nothing prevents it.
  package var obstacle: FileError? { watcher.obstacle }

  /// Makes a share.
  ///
  /// - Parameter didNotice: called on the thread of `run` whenever there is something to fetch; must be quick.
  package func makeShare(_ didNotice: @escaping @Sendable () -> Void) -> WatchShare {
    WatchShare(self, didNotice)
  }

  /// Distributes events until `finish`.
  ///
  /// - Parameter didWake: called after `wake`.
  package func run(_ didWake: () -> Void = {}) throws(FileError) {
    while !isFinished.load(ordering: .acquiring) {
      let events = try watcher.wait(timeoutMilliseconds: nil)
      if events.woken { didWake() }
      for share in state.withLock({ $0.distribute(events) }) { share.didNotice() }
    }
  }

  /// Makes `run` call its argument.
  package func wake() { watcher.wake() }

  /// Ends `run`.
  package func finish() {
    isFinished.store(true, ordering: .releasing)
    watcher.wake()
  }

  func watch(
    _ path: String, _ kinds: WatchKind, for share: WatchShare
  ) throws(FileError) -> WatchToken {
    // Outside the lock: on a dead mount, this may take forever.
    let start = state.withLock { $0.willAdd() }
    var added: WatchToken?
    defer {
      let unused = state.withLock { $0.didAdd(added, kinds, for: share, since: start) }
      for token in unused { watcher.unwatch(token) }
    }
    let token = try watcher.watch(path, kinds)
    added = token
    return token
  }

  func unwatch(_ tokens: [WatchToken], for share: WatchShare) {
    let unused = state.withLock { state in tokens.filter { state.remove($0, for: share) } }
    for token in unused { watcher.unwatch(token) }
  }

  func unwatchAll(for share: WatchShare) {
    unwatch(state.withLock { $0.tokens(of: share) }, for: share)
  }
}
