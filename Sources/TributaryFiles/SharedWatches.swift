/// Which shares of one watcher watch what.
struct SharedWatches {
  /// By the token, then by the share.
  private var listeners: [WatchToken: [ObjectIdentifier: (share: WatchShare, kinds: WatchKind)]] =
    [:]
  /// The number of watches being added.
  private(set) var adding = 0
  /// The events that were distributed while watches were being added. They may concern these watches, too.
  private var early: [WatchEvent] = []
  /// The number of the first of these events: a watch that takes forever to be added must not make others see
  /// old events.
  private var first = 0
  /// Tokens that are no longer needed, unless one of the watches being added has the same token.
  private var unused: Set<WatchToken> = []

  private static let earlyLimit = 1000

  /// Records that a watch is being added.
  ///
  /// - Returns: the number of the first event that may concern it.
  mutating func willAdd() -> Int {
    adding += 1
    return first + early.count
  }

  private mutating func drop(_ count: Int) {
    early.removeFirst(count)
    first += count
  }

  /// Hands each event to the shares that watch for it.
  ///
  /// - Returns: the shares that have something to fetch.
  mutating func distribute(_ events: WatchEvents) -> [WatchShare] {
    var told: [ObjectIdentifier: WatchShare] = [:]
    for event in events.events {
      for (identifier, listener) in listeners[event.token] ?? [:]
      where listener.share.add(event, listener.kinds) {
        told[identifier] = listener.share
      }
      if !event.kind.isDisjoint(with: .ended) { listeners[event.token] = nil }
      guard adding > 0 else { continue }
      if early.count >= Self.earlyLimit { drop(Self.earlyLimit / 2) }
      early.append(event)
    }
    if events.overflowed {
      for (identifier, listener) in listeners.values.joined() {
        listener.share.addOverflow()
        told[identifier] = listener.share
      }
      drop(early.count)
      // The lost events count as one.
      first += 1
    }
    return Array(told.values)
  }

  /// Records that a watch was added.
  ///
  /// - Parameters:
  ///   - token: `nil` if it could not be.
  ///   - start: what `willAdd` returned.
  /// - Returns: the tokens whose watches can end.
  mutating func didAdd(
    _ token: WatchToken?, _ kinds: WatchKind, for share: WatchShare, since start: Int
  ) -> [WatchToken] {
    adding -= 1
    if let token {
      let known = listeners[token]?[ObjectIdentifier(share)]?.kinds ?? []
      listeners[token, default: [:]][ObjectIdentifier(share)] = (share, kinds.union(known))
      unused.remove(token)
      for event in early.dropFirst(max(0, start - first)) where event.token == token {
        share.add(event, kinds)
        if !event.kind.isDisjoint(with: .ended) { listeners[token] = nil }
      }
      if start < first { share.addOverflow() }
    }
    if adding > 0 { return [] }
    drop(early.count)
    defer { unused.removeAll() }
    return Array(unused)
  }

  /// Records that a share no longer needs a watch.
  ///
  /// - Returns: whether the watch can end.
  mutating func remove(_ token: WatchToken, for share: WatchShare) -> Bool {
    guard listeners[token]?.removeValue(forKey: ObjectIdentifier(share)) != nil,
      listeners[token]?.isEmpty == true
    else { return false }
    listeners[token] = nil
    if adding == 0 { return true }
    unused.insert(token)
    return false
  }

  /// Returns the watches of a share.
  func tokens(of share: WatchShare) -> [WatchToken] {
    listeners.filter { $0.value[ObjectIdentifier(share)] != nil }.map(\.key)
  }
}
