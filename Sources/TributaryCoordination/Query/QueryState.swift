internal import Synchronization

/// What a query and its thread share.
final class QueryState: Sendable {
  private struct State {
    var run: QueryRun?
    var isGathering = false
    var hasGathered = false
    var results = ExactDictionary<MetadataItem>()
    /// What has changed since updates were disabled.
    var pending = MetadataUpdate()
    /// How many times updates were disabled and not enabled again.
    var disabled = 0
    var listeners: [ObjectIdentifier: QueryInbox] = [:]
  }

  private let state = Mutex(State())

  /// In separate memory: ThreadSanitizer does not see that changing the results waits for reading them.
  var results: [MetadataItem] { state.withLock { $0.results.values } }
  var resultCount: Int { state.withLock { $0.results.count } }
  var isStarted: Bool { state.withLock { $0.run != nil } }
  var isGathering: Bool { state.withLock { $0.isGathering } }

  // MARK: For the query

  /// - Returns: `false` if the query is already started.
  func begin(_ run: QueryRun) -> Bool {
    state.withLock { state in
      guard state.run == nil else { return false }
      state.run = run
      (state.isGathering, state.hasGathered) = (true, false)
      (state.results, state.pending) = (ExactDictionary(), MetadataUpdate())
      return true
    }
  }

  /// - Parameter run: the run that ends; `nil` means the current one.
  func end(_ run: QueryRun? = nil) {
    let ended = state.withLock { state -> (QueryRun?, [QueryInbox]) in
      guard let present = state.run, run == nil || run === present else { return (nil, []) }
      (state.run, state.isGathering) = (nil, false)
      defer { state.listeners = [:] }
      return (present, Array(state.listeners.values))
    }
    ended.0?.end()
    for listener in ended.1 { listener.end() }
  }

  func disableUpdates() { state.withLock { $0.disabled += 1 } }

  func enableUpdates() {
    let (update, listeners) = state.withLock { state -> (MetadataUpdate, [QueryInbox]) in
      if state.disabled > 0 { state.disabled -= 1 }
      guard state.disabled == 0 else { return (MetadataUpdate(), []) }
      defer { state.pending = MetadataUpdate() }
      state.pending.apply(to: &state.results)
      return (state.pending, Array(state.listeners.values))
    }
    if update.isEmpty { return }
    for listener in listeners { listener.send(update, []) }
  }

  func listen() -> MetadataQueryEvents {
    let inbox = QueryInbox()
    let number = ObjectIdentifier(inbox)
    state.withLock { state in
      state.listeners[number] = inbox
      if state.hasGathered { inbox.sendGathered() }
    }
    inbox.whenDropped { [weak self] in self?.state.withLock { $0.listeners[number] = nil } }
    return MetadataQueryEvents(inbox: inbox)
  }

  // MARK: For the thread

  func didGather(_ run: QueryRun, _ found: MetadataUpdate, _ failures: [CoordinationError]) {
    for listener in listeners(
      of: run,
      { state in
        // Not an update: there was nothing before.
        found.apply(to: &state.results)
        (state.isGathering, state.hasGathered) = (false, true)
      })
    {
      listener.send(MetadataUpdate(), failures)
      listener.sendGathered()
    }
  }

  func didUpdate(_ run: QueryRun, _ update: MetadataUpdate, _ failures: [CoordinationError]) {
    var visible = update
    for listener in listeners(
      of: run,
      { state in
        if state.disabled > 0 {
          state.pending.append(update)
          visible = MetadataUpdate()
        } else {
          update.apply(to: &state.results)
        }
      }) where !visible.isEmpty || !failures.isEmpty
    {
      listener.send(visible, failures)
    }
  }

  private func listeners(
    of run: QueryRun, _ change: (inout State) -> Void
  ) -> [QueryInbox] {
    state.withLock { state in
      // Another run may have begun since.
      guard state.run === run else { return [] }
      change(&state)
      return Array(state.listeners.values)
    }
  }
}
