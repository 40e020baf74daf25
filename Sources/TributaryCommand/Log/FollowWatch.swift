import TributaryFiles

/// Watches the directories where segments may arrive.
final class FollowWatch {
  private let watcher: Watcher
  private var tokens: [String: WatchToken] = [:]

  init(_ watcher: Watcher) { self.watcher = watcher }

  /// Begins to watch what has appeared, and lets go what is not wanted any more.
  ///
  /// - Returns: whether something is watched that was not: look again, for what has arrived before.
  func renew(_ directories: Set<String>) -> Bool {
    for (path, token) in tokens where !directories.contains(path) {
      watcher.unwatch(token)
      tokens[path] = nil
    }
    var hasNew = false
    for path in directories where tokens[path] == nil {
      // Missing, or beyond the limits: polling does it.
      tokens[path] = try? watcher.watch(path, .arrivals)
      if tokens[path] != nil { hasNew = true }
    }
    return hasNew
  }

  /// Waits until something may have arrived, somebody calls, or the time is over.
  ///
  /// - Throws: `FileError`.
  func wait(milliseconds: Int) throws(FileError) {
    let events = try watcher.wait(timeoutMilliseconds: milliseconds)
    for event in events.events where !event.kind.isDisjoint(with: .lost.union(.ended)) {
      for (path, token) in tokens where token == event.token { tokens[path] = nil }
    }
  }
}
