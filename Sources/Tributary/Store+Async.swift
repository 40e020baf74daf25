extension Store {
  /// Reads and writes for asynchronous code: neither the wait for another writer nor the work itself occupies a thread
  /// of Swift's pool.
  ///
  ///     let titles = try await store.async.read { db in try db.query("SELECT title FROM album") }
  public var async: AsyncAccess { AsyncAccess(store: self) }

  /// The asynchronous access to a store.
  ///
  /// Each call runs on a thread of its own; at most 64 read at a time, and as many write or wait to write. Further ones wait for their turn without a thread. If its task is cancelled, the wait for another writer ends, the running
  /// statement is interrupted, every further statement throws, and so does the call: `CancellationError`. Nothing has been
  /// written then; a write that is already being committed goes on.
  public struct AsyncAccess: Sendable {
    let store: Store

    /// Runs `body` on a snapshot of the database, as `Store.read` does.
    public func read<Result: Sendable>(
      _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
      let local = store.local
      return try await Blocking.run(in: store.turns) { try local.read(heeding: $0, body) }
    }

    /// Runs `body` in a transaction and commits it, as `Store.write` does.
    public func write<Result: Sendable>(
      _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
      let local = store.local
      return try await Blocking.run(in: store.writeTurns) { try local.write(heeding: $0, body) }
    }

    /// Runs a write based on an earlier version, as `Store.write(basedOn:)` does.
    public func write<Result: Sendable>(
      basedOn version: Version, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
      let store = store
      return try await Blocking.run(in: store.writeTurns) {
        try store.write(basedOn: version, heeding: $0, body)
      }
    }
  }
}
