public import TributaryStore

extension ManagedDocument {
  /// Reads and writes for asynchronous code, like `Store.async`.
  ///
  ///     let texts = try await note.async.read { db in try db.query(String.self, "SELECT text FROM line") }
  public var async: AsyncAccess { AsyncAccess(document: self) }

  /// Asynchronous access to a document; see `Store.AsyncAccess`.
  public struct AsyncAccess: Sendable {
    let document: ManagedDocument

    /// Runs `body` on a snapshot of the database, as `ManagedDocument.read` does.
    public func read<Result: Sendable>(
      _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
      let session = document.session
      return try await Blocking.run(in: document.turns) { try session.read(heeding: $0, body) }
    }

    /// Runs `body` in a transaction and commits it, as `ManagedDocument.write` does.
    public func write<Result: Sendable>(
      _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
      let session = document.session
      return try await Blocking.run(in: document.writeTurns) {
        try session.write(heeding: $0, body)
      }
    }

    /// Runs a write based on an earlier version, as `ManagedDocument.write(basedOn:)` does.
    public func write<Result: Sendable>(
      basedOn version: Version, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
      let session = document.session
      return try await Blocking.run(in: document.writeTurns) {
        try session.write(basedOn: version, heeding: $0, body)
      }
    }
  }
}
