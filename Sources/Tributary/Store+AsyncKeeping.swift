public import TributarySync

/// Long operations, for asynchronous code. Each call runs on a thread of the library, and runs to its end
/// even if the task is cancelled.
extension Store.AsyncAccess {
  /// Copies the database into a new file, as `Store.backup` does.
  public func backup(to path: String) async throws {
    let store = store
    try await Blocking.run { try store.backup(to: path) }
  }

  /// Replays the logs from scratch and compares, as `Store.verify` does. Stops if the task is cancelled.
  ///
  /// - Throws: also `CancellationError`.
  public func verify() async throws -> VerifyReport {
    let store = store
    return try await Blocking.run { cancellation in
      try store.verify { try cancellation.check() }
    }
  }

  /// Returns everything that is wrong with the store or delays it, as `Store.diagnose` does.
  public func diagnose() async throws -> [Finding] {
    let store = store
    return try await Blocking.run { try store.diagnose() }
  }

  /// Returns a digest of the contents of the replicated tables, as `Store.digest` does.
  public func digest() async throws -> String {
    let store = store
    return try await Blocking.run { try store.digest() }
  }

  /// Writes a baseline, as `Store.writeBaseline` does.
  @discardableResult
  public func writeBaseline() async throws -> BaselineReport {
    let store = store
    return try await Blocking.run { try store.writeBaseline() }
  }

  /// Makes the store an ordinary database, as `Store.detach` does.
  public func detach(removingLogs: Bool = false, leavingUnpublished: Bool = false) async throws {
    let store = store
    try await Blocking.run {
      try store.detach(removingLogs: removingLogs, leavingUnpublished: leavingUnpublished)
    }
  }

  /// Closes the store, as `Store.close` does, without occupying a thread of Swift's pool while the store's thread ends.
  public func close() async {
    let store = store
    // This fails only if no thread can be made. Then this thread closes the store.
    do { try await Blocking.run { store.close() } } catch { store.close() }
  }
}
