public import TributaryStore

extension StoreReader {
  /// Reads for asynchronous code, like `Store.async`.
  public var async: AsyncAccess { AsyncAccess(reader: self) }

  /// Asynchronous access to a store that is only read.
  public struct AsyncAccess: Sendable {
    let reader: StoreReader

    /// Runs `body` on a snapshot of the database, as `StoreReader.read` does, on a thread of the library. If
    /// the task is cancelled, the running statement is interrupted and no other one starts.
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
