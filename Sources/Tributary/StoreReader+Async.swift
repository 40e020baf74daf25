public import TributaryStore

extension StoreReader {
  /// Reads for asynchronous code, as `Store.async` does.
  public var async: AsyncAccess { AsyncAccess(reader: self) }

  /// The asynchronous access to a store that is only read.
  public struct AsyncAccess: Sendable {
    let reader: StoreReader

    /// Runs `body` on a snapshot of the database, as `StoreReader.read` does, on a thread of the library. If the task is
    /// cancelled, the running statement is interrupted, and no other one begins.
    ///
    /// - Throws: also `CancellationError`.
    public func read<Result: Sendable>(
      _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
      let local = reader.local
      return try await Blocking.run(in: reader.turns) { try local.read(heeding: $0, body) }
    }
  }
}
