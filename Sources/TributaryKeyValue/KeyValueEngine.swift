import Synchronization
internal import TributaryStore
package import TributarySync

/// Reads and sets the values of a key-value store.
///
/// A set after a pause is written to the disk at once. Of the sets that follow it closely, only the last one
/// for each key is written, when the interval is over: a key that is set a million times in a second costs
/// two transactions. Until then the values are in memory, where every read of this process finds them.
package final class KeyValueEngine: Sendable {
  struct State {
    var storage: any KeyValueStorage
    var profile: KeyValueProfile
    var place: KeyValuePlace
    /// The stored values, including pending changes.
    var contents = KeyValueContents()
    /// The pending changes; a value of `nil` means removal.
    var pending: [KeyValueKey: StoredValue?] = [:]
    var lastWrite: ContinuousClock.Instant?
    /// Whether `flushLater` has been called.
    var isScheduled = false
    /// Whether something was written that a power cut may still lose.
    var isUnsynchronized = false
    /// The keys that have vanished since the last import was reported.
    var lost: Set<KeyValueKey> = []
    /// Whether the contents exceeded the limits when they were last checked.
    var isOver = false
    /// Whether values of other devices have ever reached this one.
    var hasMet = true
    var isClosed = false
  }

  /// The longest time that a set is only in memory.
  package let interval: Duration
  let state: Mutex<State>
  /// Asks for `flushPending` after some time.
  private let flushLater: (@Sendable (Duration) -> Void)?
  /// Receives what this process did not set itself.
  private let didChange: @Sendable (KeyValueChange) -> Void

  /// Makes an engine.
  ///
  /// - Parameter flushLater: arranges for `flushPending` to be called after some time. Without it, each set
  ///   is written at once.
  init(
    _ storage: any KeyValueStorage, profile: KeyValueProfile, place: KeyValuePlace,
    interval: Duration = .seconds(1),
    flushLater: (@Sendable (Duration) -> Void)? = nil,
    didChange: @escaping @Sendable (KeyValueChange) -> Void = { _ in }
  ) {
    self.interval = interval
    self.flushLater = flushLater
    self.didChange = didChange
    state = Mutex(State(storage: storage, profile: profile, place: place))
  }

  /// The limits. They may become those of the container when the store joins one.
  package var profile: KeyValueProfile { state.withLock { $0.profile } }

  package var path: String { state.withLock { $0.storage.path } }

  // MARK: Reading

  /// Returns a value.
  package func value(for key: String) throws -> StoredValue? {
    try withState { state in
      try Self.refresh(&state)
      return state.contents[KeyValueKey(key)]
    }
  }

  /// Returns all keys with their values, in ascending order.
  package func values() throws -> [(key: String, value: StoredValue)] {
    try withState { state in
      try Self.refresh(&state)
      return state.contents.values.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
    }
  }

  /// Returns the last value that this process knew, for use when nothing can be read.
  package func knownValue(for key: String) -> StoredValue? {
    state.withLock { $0.contents[KeyValueKey(key)] }
  }

  /// Returns how much the store holds, in the units of its limits.
  package func usage() throws -> KeyValueUsage {
    try withState { state in
      try Self.refresh(&state)
      return state.contents.usage
    }
  }

  /// Calls `body` with the state. If another process has moved the values into the store meanwhile, this
  /// process follows.
  private func withState<Result: Sendable>(
    _ body: (inout sending State) throws -> sending Result
  ) throws -> Result {
    do {
      return try state.withLock(body)
    } catch is PrivateStorage.Moved {
      try join()
      return try state.withLock(body)
    }
  }

  static func refresh(_ state: inout State) throws {
    try checkOpen(state)
    guard let values = try state.storage.readIfChanged() else { return }
    reload(&state, values)
  }

  static func reload(_ state: inout State, _ values: [KeyValueKey: StoredValue]) {
    for key in state.contents.values.keys where values[key] == nil { state.lost.insert(key) }
    state.contents = KeyValueContents()
    for (key, value) in values { state.contents.set(value, for: key) }
    for (key, value) in state.pending { state.contents.set(value, for: key) }
  }

  private static func checkOpen(_ state: State) throws {
    guard state.isClosed else { return }
    throw KeyValueError(
      .closed, "the store was closed", path: state.storage.path, remedy: "open it again")
  }

  // MARK: Setting

  /// Sets a value.
  ///
  /// - Throws: `KeyValueError` if the limits forbid it; also throws if writing to the disk fails. Nothing has
  ///   changed then.
  package func set(_ value: PropertyListValue, for key: String) throws {
    if let obstacle = value.obstacle() {
      throw KeyValueError(
        .unsupportedValue, "\(obstacle) cannot be stored", path: path,
        remedy: "store another value")
    }
    let stored = StoredValue(value)
    try change { state in
      let limits = KeyValueLimits(profile: state.profile, path: state.storage.path)
      try limits.check(key, stored)
      try limits.check(
        key, replacing: state.contents[KeyValueKey(key)], by: stored, in: state.contents.usage)
      return (KeyValueKey(key), stored)
    }
  }

  /// Removes a value.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  package func remove(_ key: String) throws -> Bool {
    var existed = false
    try change { state in
      existed = state.contents[KeyValueKey(key)] != nil
      return existed ? (KeyValueKey(key), nil) : nil
    }
    return existed
  }

  private func change(
    _ decide: (State) throws -> (key: KeyValueKey, value: StoredValue?)?
  ) throws {
    let (delay, change) = try withState { state -> (Duration?, KeyValueChange?) in
      // Even while something is pending: another process may have set the key, or used up the space.
      try Self.refresh(&state)
      guard let (key, value) = try decide(state) else { return (nil, nil) }
      let now = ContinuousClock.now
      let due = state.lastWrite.map { $0 + interval } ?? now
      if flushLater != nil, now < due {
        state.contents.set(value, for: key)
        state.pending.updateValue(value, forKey: key)
        if state.isScheduled { return (nil, nil) }
        state.isScheduled = true
        return (due - now, nil)
      }
      let before = (state.contents, state.pending)
      state.contents.set(value, for: key)
      state.pending.updateValue(value, forKey: key)
      do {
        return (nil, try Self.flush(&state))
      } catch {
        (state.contents, state.pending) = before
        throw error
      }
    }
    if let delay { flushLater?(delay) }
    if let change { didChange(change) }
  }

  // MARK: Writing

  /// Writes what is only in memory, and makes everything that was set survive a power cut.
  ///
  /// - Throws: an error if writing to the disk fails. The values are still in memory then, and the next call
  ///   tries again.
  package func flush() throws {
    let change = try withState { state in
      try Self.checkOpen(state)
      let change = try Self.flush(&state)
      try Self.synchronize(&state)
      return change
    }
    if let change { didChange(change) }
  }

  private static func synchronize(_ state: inout State) throws {
    guard state.isUnsynchronized else { return }
    try state.storage.synchronize()
    state.isUnsynchronized = false
  }

  /// Writes what is only in memory, as scheduled by `flushLater`. If writing fails, it is tried again after
  /// the same time.
  ///
  /// - Returns: why it could not be written.
  package func flushPending() -> (any Error)? {
    state.withLock { $0.isScheduled = false }
    do {
      try flush()
      return nil
    } catch {
      let isAgain = state.withLock { state in
        if state.isClosed || state.pending.isEmpty || state.isScheduled { return false }
        state.isScheduled = true
        return true
      }
      if isAgain { flushLater?(interval) }
      return error
    }
  }

  private static func flush(_ state: inout State) throws -> KeyValueChange? {
    if state.pending.isEmpty { return nil }
    try state.storage.write(state.pending)
    let keys = state.pending.keys.map(\.text)
    state.pending = [:]
    state.lastWrite = .now
    state.isUnsynchronized = true
    // What is written stays written, even if reading fails now.
    guard (try? refresh(&state)) != nil else { return nil }
    return noteUsage(&state)
      ? KeyValueChange(reason: .quotaViolationChange, changedKeys: keys) : nil
  }

  /// Returns whether the contents have begun to exceed the limits, because another process has set values
  /// meanwhile.
  private static func noteUsage(_ state: inout State) -> Bool {
    let wasOver = state.isOver
    state.isOver = state.contents.usage.exceeds(state.profile)
    return state.isOver && !wasOver
  }

  // MARK: Changes from elsewhere

  /// Notes an import, and reports what it has changed.
  package func note(_ imported: SyncReport.Imported) {
    let change = state.withLock { state -> KeyValueChange? in
      guard !state.isClosed else { return nil }
      var keys: [String] = []
      let before = state.contents.values.keys
      // What cannot be read now is read the next time; the keys are known from the import.
      try? Self.refresh(&state)
      for entry in imported.changes where entry.table == KeyValueSchema.table {
        for list in [entry.changes.inserted, entry.changes.updated, entry.changes.deleted] {
          for case .text(let bytes)? in list.keys.map(\.first) {
            keys.append(String(decoding: bytes, as: UTF8.self))
          }
        }
      }
      if imported.mayHaveChangedEverything {
        // Keys that are gone have changed, too; an earlier read may have noticed it.
        keys = state.lost.union(before).union(state.contents.values.keys).map(\.text)
      }
      state.lost = []
      if keys.isEmpty { return nil }
      let reason: KeyValueChange.Reason =
        Self.noteUsage(&state)
        ? .quotaViolationChange : state.hasMet ? .serverChange : .initialSyncChange
      state.hasMet = true
      return KeyValueChange(reason: reason, changedKeys: keys)
    }
    if let change { didChange(change) }
  }

  /// Reports a change.
  func send(_ change: KeyValueChange) { didChange(change) }

  /// Writes what is pending, as `flush` does, and closes the store. Later reads and sets throw.
  ///
  /// - Throws: an error if writing to the disk fails. The store is closed anyway, and what was only in memory
  ///   is lost.
  package func close() throws {
    let change = try state.withLock { state -> KeyValueChange? in
      if state.isClosed { return nil }
      defer {
        state.isClosed = true
        state.storage.close()
      }
      let change = try Self.flush(&state)
      try Self.synchronize(&state)
      return change
    }
    if let change { didChange(change) }
  }
}
