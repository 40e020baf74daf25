internal import TributaryCore
package import TributaryStore
internal import TributarySync

extension KeyValueEngine {
  /// Opens a store that is attached, or one whose container has never been available.
  package convenience init(
    _ place: KeyValuePlace, isAttached: Bool, interval: Duration = .seconds(1),
    flushLater: (@Sendable (Duration) -> Void)? = nil,
    didChange: @escaping @Sendable (KeyValueChange) -> Void = { _ in }
  ) throws {
    if isAttached {
      try self.init(
        attached: place, interval: interval, flushLater: flushLater, didChange: didChange)
    } else {
      try self.init(
        unattached: place, interval: interval, flushLater: flushLater, didChange: didChange)
    }
  }

  /// Opens an attached store.
  ///
  /// - Throws: `StoreError` with the code `notAttached` if it is not a store, `KeyValueError` if it is not a
  ///   key-value store.
  package convenience init(
    attached place: KeyValuePlace, interval: Duration = .seconds(1),
    flushLater: (@Sendable (Duration) -> Void)? = nil,
    didChange: @escaping @Sendable (KeyValueChange) -> Void = { _ in }
  ) throws {
    // If the database is not a store at all, the error is the general one of stores.
    let storage: SharedStorage
    do { storage = try Self.storage(place) } catch { throw place.namingRemedy(of: error) }
    let profile = try place.presentProfile()
    try Self.finishJoining(storage, place)
    self.init(
      storage, profile: profile, place: place, interval: interval, flushLater: flushLater,
      didChange: didChange)
    try lookAtContents()
  }

  /// Opens a store whose container has never been available. Its values stay on this device until `join`.
  package convenience init(
    unattached place: KeyValuePlace, interval: Duration = .seconds(1),
    flushLater: (@Sendable (Duration) -> Void)? = nil,
    didChange: @escaping @Sendable (KeyValueChange) -> Void = { _ in }
  ) throws {
    let storage = try Self.privateStorage(place)
    self.init(
      storage, profile: try KeyValuePlace.profile(of: storage.path), place: place,
      interval: interval, flushLater: flushLater, didChange: didChange)
  }

  /// The attached store; `nil` as long as its container has never been available.
  package var store: LocalStore? { state.withLock { ($0.storage as? SharedStorage)?.store } }

  /// Attaches the store to its container. The values of other devices win; this device's values are added
  /// under the keys that those do not have.
  ///
  /// - Throws: why it cannot be attached. The values are then still on this device.
  package func join() throws {
    let place = state.withLock(\.place)
    guard store == nil else { return }
    if try !place.isAttached() { _ = try place.attach() }
    let profile = try place.presentProfile()
    let storage = try Self.storage(place)
    let (changed, isOver) = try state.withLock { state -> ([String], Bool) in
      guard let former = state.storage as? PrivateStorage, !state.isClosed else {
        return ([], false)
      }
      let own = state.contents
      let given = try storage.values()
      try Self.move(former, into: storage, at: place)
      former.close()
      state.storage = storage
      state.profile = profile
      state.hasMet = !given.isEmpty
      // The values that are only in memory were set last.
      Self.reload(&state, try storage.values())
      state.isOver = state.contents.usage.exceeds(profile)
      let changed = given.filter { own[$0.key] != $0.value && state.contents[$0.key] == $0.value }
        .map(\.key.text)
      return (changed, state.isOver)
    }
    if changed.isEmpty { return }
    send(KeyValueChange(reason: .initialSyncChange, changedKeys: changed))
    if isOver { send(KeyValueChange(reason: .quotaViolationChange, changedKeys: changed)) }
  }

  /// Switches to the values of another container, whose store is at another path. The current store stays as
  /// it is, with everything that was set.
  ///
  /// - Throws: why the other store cannot be opened. Nothing has changed then.
  package func change(to place: KeyValuePlace) throws {
    try flush()
    let storage: any KeyValueStorage
    if try place.isAttached() {
      let shared = try Self.storage(place)
      try Self.finishJoining(shared, place)
      storage = shared
    } else {
      storage = try Self.privateStorage(place)
    }
    let profile = try KeyValuePlace.profile(of: storage.path)
    let changed = try state.withLock { state -> [String] in
      let given = try storage.readIfChanged() ?? [:]
      if !state.pending.isEmpty { try state.storage.write(state.pending) }
      state.pending = [:]
      let own = state.contents.values
      state.storage.close()
      state.storage = storage
      state.profile = profile
      state.place = place
      Self.reload(&state, given)
      state.lost = []
      state.isOver = state.contents.usage.exceeds(profile)
      return Set(own.keys).union(given.keys).filter { own[$0] != given[$0] }.map(\.text)
    }
    send(KeyValueChange(reason: .accountChange, changedKeys: changed))
  }

  private static func privateStorage(_ place: KeyValuePlace) throws -> PrivateStorage {
    let clock = place.environment.clock
    return try PrivateStorage(
      path: place.unsharedPath, profile: place.profile ?? .standard,
      milliseconds: { clock.milliseconds() })
  }

  private static func storage(_ place: KeyValuePlace) throws -> SharedStorage {
    let environment = place.environment
    let clock = environment.clock
    return SharedStorage(
      try environment.openStore(at: place.path), milliseconds: { clock.milliseconds() })
  }

  /// Moves values that were set before the container was ever available into the store. If the process is
  /// killed, the next opening does this.
  private static func finishJoining(_ storage: SharedStorage, _ place: KeyValuePlace) throws {
    let path = place.unsharedPath
    guard try place.environment.fileSystem.status(path) != nil else { return }
    let former = try privateStorage(place)
    defer { former.close() }
    try move(former, into: storage, at: place)
  }

  /// Adds the values that the store lacks, and removes the former file.
  private static func move(
    _ former: PrivateStorage, into storage: SharedStorage, at place: KeyValuePlace
  ) throws {
    try former.moveOut { values in
      let present = try storage.values()
      let added = values.filter { present[$0.key] == nil }
      if !added.isEmpty { try storage.write(added.mapValues { Optional($0) }) }
      // A power cut must not lose the values from this file once they are gone from the other.
      try storage.synchronize()
    }
    let files = place.environment.fileSystem
    // Without its log, the database would again contain what was removed from it.
    for suffix in ["", "-wal", "-shm"] where try files.status(former.path + suffix) != nil {
      try files.remove(former.path + suffix)
    }
  }

  private func lookAtContents() throws {
    guard let store else { return }
    let hasMet = try store.service { try !KnowledgeTable($0).peers().isEmpty }
    try state.withLock { state in
      state.hasMet = hasMet
      try Self.refresh(&state)
      state.isOver = state.contents.usage.exceeds(state.profile)
    }
  }
}
