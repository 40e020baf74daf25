internal import Synchronization

/// One observer's share of a watcher that others use too.
package final class WatchShare: Watching {
  private let shared: SharedWatcher
  private let events = Mutex(WatchEvents())
  let didNotice: @Sendable () -> Void

  init(_ shared: SharedWatcher, _ didNotice: @escaping @Sendable () -> Void) {
    self.shared = shared
    self.didNotice = didNotice
  }

  package func watch(_ path: String, _ kinds: WatchKind) throws(FileError) -> WatchToken {
    try shared.watch(path, kinds, for: self)
  }

  package func unwatch(_ token: WatchToken) { shared.unwatch([token], for: self) }

  /// Ends all watches, which keep the share alive until then.
  package func end() { shared.unwatchAll(for: self) }

  package var hasEvents: Bool { events.withLock { $0 != WatchEvents() } }

  package func wake() {
    events.withLock { $0.woken = true }
    didNotice()
  }

  /// Returns the events since the last call.
  package func take() -> WatchEvents {
    events.withLock { events in
      defer { events = WatchEvents() }
      return events
    }
  }

  /// Adds an event.
  ///
  /// - Parameter kinds: the kinds that were requested.
  /// - Returns: whether it is of these kinds.
  @discardableResult
  func add(_ event: WatchEvent, _ kinds: WatchKind) -> Bool {
    guard !event.kind.isDisjoint(with: kinds.union(.lost).union(.ended)) else { return false }
    events.withLock { events in
      // An observer that is this late checks everything.
      if events.events.count < Self.limit {
        events.events.append(event)
      } else {
        events.overflowed = true
      }
    }
    return true
  }

  func addOverflow() { events.withLock { $0.overflowed = true } }

  private static let limit = 10_000
}
