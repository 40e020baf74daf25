extension Store {
  /// Reads and writes for asynchronous code: neither the wait for another writer nor the work itself occupies a thread
  /// of Swift's pool.
  ///
  ///     let titles = try await store.async.read { db in try db.query("SELECT title FROM album") }
  public var async: AsyncAccess { AsyncAccess(store: self) }

  /// The asynchronous access to a store.
  ///
  /// Each call runs on a thread of its own. If its task is cancelled, the running statement is interrupted, the call
  /// throws `CancellationError`, and nothing has been written; a write that is already being committed goes on.
  public struct AsyncAccess: Sendable {
    let store: Store

    /// Runs `body` on a snapshot of the database, as `Store.read` does.
    public func read<Result: Sendable>(
      _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
      try await run(body) { try $0.read($1) }
    }

    /// Runs `body` in a transaction and commits it, as `Store.write` does.
    public func write<Result: Sendable>(
      _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
      try await run(body) { try $0.write($1) }
    }

    /// Runs a write based on an earlier version, as `Store.write(basedOn:)` does.
    public func write<Result: Sendable>(
      basedOn version: Version, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
      try await run(body) { try $0.write(basedOn: version, $1) }
    }

    private func run<Result: Sendable>(
      _ body: @escaping @Sendable (Database) throws -> Result,
      _ access: @escaping @Sendable (Store, (Database) throws -> Result) throws -> Result
    ) async throws -> Result {
      let interruption = Interruption()
      let store = store
      return try await withTaskCancellationHandler {
        try await Blocking.run {
          try interruption.check()
          return try access(store) { database in
            try interruption.guarding(database) { try body(database) }
          }
        }
      } onCancel: {
        interruption.interrupt()
      }
    }
  }
}
