import TributaryFiles

/// Watches the directories where segments may arrive.
final class FollowWatch {
  private let watcher: Watcher
  private var tokens: [String: WatchToken] = [:]

  init(_ watcher: Watcher) { self.watcher = watcher }

  /// Starts watching new directories, and stops watching unwanted ones.
  ///
  /// - Returns: whether there is a new watch. If so, look again for what arrived before it.
  func renew(_ directories: Set<String>) -> Bool {
    for (path, token) in tokens where !directories.contains(path) {
      watcher.unwatch(token)
      tokens[path] = nil
    }
    var hasNew = false
    for path in directories where tokens[path] == nil {
      // If the directory is missing, or the limit of watches is reached, polling covers it.
      tokens[path] = try? watcher.watch(path, .arrivals)
      if tokens[path] != nil { hasNew = true }
    }
    return hasNew
  }

  /// Waits until something may have arrived, a thread wakes it, or the time is over.
  ///
  /// - Throws: `FileError`.
  func wait(milliseconds: Int) throws(FileError) {
    let events = try watcher.wait(timeoutMilliseconds: milliseconds)
    for event in events.events where !event.kind.isDisjoint(with: .lost.union(.ended)) {
      for (path, token) in tokens where token == event.token { tokens[path] = nil }
    }
  }
}
