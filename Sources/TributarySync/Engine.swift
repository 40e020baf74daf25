import TributaryStore

/// The operations on a store as a whole.
package enum Engine {
  /// Makes a database a store of a container: a new one, one rebuilt from the logs, or one with its present
  /// rows adopted.
  ///
  /// - Throws: one error that names the file and the remedy, or `AttachError` with all reasons against
  ///   attaching; everything is then unchanged.
  package static func attach(
    _ request: AttachRequest, environment: StoreEnvironment = StoreEnvironment(),
    progress: ((Progress) throws -> Void)? = nil
  ) throws -> AttachReport {
    try StorePath.check(request.store)
    func attach() throws -> AttachReport {
      let lock = try StoreLock(request.store, for: .attaching, heeding: request.cancellation)
      defer { lock.release() }
      return try Attacher(
        request: request, environment: environment.bounded(), progress: progress
      ).attach()
    }
    // Statements and waits that are cancelled fail in their own way.
    return try request.cancellation?.naming(attach) ?? attach()
  }

  /// Reports what `attach` would do, and changes nothing: no file is made or written.
  ///
  /// - Returns: a report that includes all reasons against attaching, each with its remedy. It does not say
  ///   which rows of a database the logs know: only the import can tell.
  /// - Throws: only if something cannot be read.
  package static func rehearse(
    _ request: AttachRequest, environment: StoreEnvironment = StoreEnvironment()
  ) throws -> AttachReport {
    try StorePath.check(request.store)
    return try AttachRehearsal(request: request, environment: environment.bounded()).report()
  }

  /// Removes the bookkeeping from a store and leaves an ordinary database with the same rows. Publishes what
  /// is not published yet first.
  ///
  /// - Parameters:
  ///   - removeLogs: whether to remove the store's own directory from the container too. Transactions that
  ///     other devices have not imported by then never reach them.
  ///   - leavingUnpublished: whether to publish nothing before and to ignore what is unpublished.
  /// - Returns: what others have of the logs that were removed.
  /// - Throws: also if something cannot be published, or a log cannot be removed; the database is then still
  ///   a store.
  @discardableResult
  package static func detach(
    store: String, removeLogs: Bool, leavingUnpublished: Bool = false,
    environment: StoreEnvironment = StoreEnvironment()
  ) throws -> DetachReport {
    try StorePath.check(store)
    try useExtensions(of: store, environment)
    return try Detacher(path: store, environment: environment.bounded()).detach(
      removeLogs: removeLogs, leavingUnpublished: leavingUnpublished)
  }

  /// Publishes everything that an open store has written, as `detach` does first.
  ///
  /// - Parameter synchronize: synchronises it.
  /// - Throws: also `SyncError` with the code `unpublished` if something cannot be published.
  package static func publishAll(
    of session: SyncSession, _ synchronize: () throws -> SyncReport
  ) throws {
    try Detacher.publishAll(of: session, synchronize)
  }

  /// Replays everything that the store has imported and written into a fresh file, which takes the store's
  /// place.
  ///
  /// Rows that the store has and no log does, because they were written past the store or lost with its
  /// bookkeeping, are kept in a file beside it.
  ///
  /// - Returns: the number of replayed transactions, and the place of such rows.
  /// - Throws: also if another process has the store open, or if logs are missing; the store is then
  ///   unchanged.
  package static func rebuild(
    store: String, environment: StoreEnvironment = StoreEnvironment(),
    progress: ((Progress) throws -> Void)? = nil
  ) throws -> RebuildReport {
    try StorePath.check(store)
    try useExtensions(of: store, environment)
    return try Rebuilder(path: store, environment: environment.bounded(), progress: progress)
      .rebuild()
  }

  /// Replays the same transactions by the plain definition of the merge, and compares the result
  /// cell by cell.
  package static func verify(
    store: String, environment: StoreEnvironment = StoreEnvironment(),
    progress: ((Progress) throws -> Void)? = nil
  ) throws -> VerifyReport {
    try StorePath.check(store)
    try StorePath.checkPresent(store)
    try useExtensions(of: store, environment)
    return try Verifier(path: store, environment: environment.bounded(), progress: progress)
      .verify()
  }
}
