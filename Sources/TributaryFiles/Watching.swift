/// An object that observes changes of files on this machine: a `Watcher`, or a share of a `SharedWatcher`.
package protocol Watching: AnyObject, Sendable {
  /// Starts watching, as `Watcher.watch` does.
  func watch(_ path: String, _ kinds: WatchKind) throws(FileError) -> WatchToken

  /// Ends a watch.
  func unwatch(_ token: WatchToken)

  /// Whether something has happened that was not fetched yet.
  var hasEvents: Bool { get }

  /// Makes the waiting thread check at once. Any thread may call this.
  func wake()
}

extension Watcher: Watching {}
