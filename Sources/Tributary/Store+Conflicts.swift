public import TributaryStore

extension Store {
  /// What merging could not keep visible and nobody has settled yet, in the order of tables and
  /// keys; the same on every device.
  ///
  /// - Parameter ended: those that have ended too.
  public func conflicts(ended: Bool = false) throws -> [Conflict] {
    try session.conflicts(ended: ended)
  }

  /// The conflicts that are found from now on.
  public var newConflicts: ConflictSequence {
    ConflictSequence(listening: announcements.conflicts.listen(), session: session)
  }

  /// Settles a conflict by an ordinary transaction, which other devices learn of like of any write.
  ///
  /// Restoring a deleted row, or a parent, reads the logs and blocks meanwhile.
  ///
  /// - Returns: false when it had ended already, here or elsewhere; nothing is written then.
  /// - Throws: `SyncError.unknownConflict`; `SyncError.unrestorable` and `SyncError.logsMissing`
  ///   where it cannot be restored; `SQLiteError`. Nothing has changed then.
  @discardableResult
  public func resolve(_ conflict: Conflict, _ resolution: Resolution) throws -> Bool {
    try session.resolve(conflict.id, resolution)
  }

  /// The same by the identifier.
  @discardableResult
  public func resolve(_ id: Conflict.ID, _ resolution: Resolution) throws -> Bool {
    try session.resolve(id, resolution)
  }

  /// Settles a conflict by what `body` writes, in one transaction; what that leaves of the conflict
  /// is kept as it is visible.
  ///
  /// - Returns: what `body` returns; `nil` when the conflict had ended already, and `body` was not
  ///   called.
  /// - Throws: `SyncError.unknownConflict`, what `body` throws, `SQLiteError`, `StoreError`.
  ///   Nothing has changed then.
  @discardableResult
  public func resolve<Result>(
    _ conflict: Conflict, _ body: (Database) throws -> Result
  ) throws -> Result? {
    try session.resolve(conflict.id, body)
  }
}
