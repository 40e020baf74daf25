public import TributaryStore

extension Store {
  /// Returns the open conflicts: what merging could not keep visible and no one has resolved yet. They are
  /// ordered by table and key, and the order is the same on every device.
  ///
  /// - Parameter ended: whether to include conflicts that have ended.
  public func conflicts(ended: Bool = false) throws -> [Conflict] {
    try session.conflicts(ended: ended)
  }

  /// The conflicts that are found from now on.
  public var newConflicts: ConflictSequence {
    ConflictSequence(listening: announcements.conflicts.listen(), session: session)
  }

  /// Resolves a conflict in an ordinary transaction, which other devices import like any write.
  ///
  /// Restoring a deleted row, or a parent, reads the logs and blocks while it does so.
  ///
  /// - Returns: `false` if the conflict had already ended, here or elsewhere. Nothing is written
  ///   then.
  /// - Throws: `SyncError` with the code `unknownConflict`; `SyncError` with the code `unrestorable` and `SyncError` with the code `logsMissing` if
  ///   the row cannot be restored; `SQLiteError`. Nothing has changed then.
  @discardableResult
  public func resolve(_ conflict: Conflict, _ resolution: Resolution) throws -> Bool {
    try session.resolve(conflict.id, resolution)
  }

  /// Resolves the conflict with this identifier, as the method above does.
  @discardableResult
  public func resolve(_ id: Conflict.ID, _ resolution: Resolution) throws -> Bool {
    try session.resolve(id, resolution)
  }

  /// Resolves a conflict by what `body` writes, in one transaction. The values that are visible afterwards
  /// are the resolution.
  ///
  /// - Returns: what `body` returns; `nil` if the conflict had already ended, in which case `body`
  ///   was not called.
  /// - Throws: `SyncError` with the code `unknownConflict`, what `body` throws, `SQLiteError`, `StoreError`.
  ///   Nothing has changed then.
  @discardableResult
  public func resolve<Result>(
    _ conflict: Conflict, _ body: (Database) throws -> Result
  ) throws -> Result? {
    try session.resolve(conflict.id, body)
  }
}
