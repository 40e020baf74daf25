extension Store {
  /// Reads and writes for asynchronous code. Neither waiting for another writer nor the work itself occupies
  /// a thread of Swift's pool.
  ///
  ///     let titles = try await store.async.read { db in try db.query("SELECT title FROM album") }
  public var async: AsyncAccess { AsyncAccess(store: self) }

  /// Asynchronous access to a store.
  ///
  /// Each call runs on a separate thread. At most 64 calls read at a time, and at most 64 write or wait to
  /// write; further calls wait for their turn without a thread.
  ///
  /// If the task of a call is cancelled, the wait for another writer ends, the running statement is
  /// interrupted, and every further statement throws; the call itself throws `CancellationError`. Nothing has
  /// been written then. A write that is already being committed continues.
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
