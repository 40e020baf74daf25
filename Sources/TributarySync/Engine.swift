import TributaryStore

/// Operations on a store as a whole.
package enum Engine {
  /// Makes a database a store of a container: a new one, one rebuilt from the logs, or one whose present rows
  /// are adopted.
  ///
  /// - Throws: one error that names the file and the remedy, or `AttachError` with all reasons against
  ///   attaching. Nothing has changed then.
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
    // Cancelled statements and waits fail with errors of their own.
    return try request.cancellation?.naming(attach) ?? attach()
  }

  /// Reports what `attach` would do. Changes nothing: creates no file and writes to none.
  ///
  /// - Returns: a report that includes all reasons against attaching, each with its remedy. It does not say
  ///   which rows of a database the logs contain: only the import can tell.
  /// - Throws: only if something cannot be read.
  package static func rehearse(
    _ request: AttachRequest, environment: StoreEnvironment = StoreEnvironment()
  ) throws -> AttachReport {
    try StorePath.check(request.store)
    return try AttachRehearsal(request: request, environment: environment.bounded()).report()
  }

  /// Removes the bookkeeping from a store and leaves an ordinary database with the same rows. First publishes
  /// what is still unpublished.
  ///
  /// - Parameters:
  ///   - removeLogs: whether to remove what the store has published from the container too. Transactions
  ///     that other devices have not imported by then never reach them.
  ///   - leavingUnpublished: whether to publish nothing first and to ignore what is unpublished.
  /// - Returns: how much of the removed logs other devices have.
  /// - Throws: also if something cannot be published or a log cannot be removed. The database is still a
  ///   store then.
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
  /// - Parameter synchronize: the closure that synchronises the store.
  /// - Throws: also `SyncError` with the code `unpublished` if something cannot be published.
  package static func publishAll(
    of session: SyncSession, _ synchronize: () throws -> SyncReport
  ) throws {
    try Detacher.publishAll(of: session, synchronize)
  }

  /// Replays everything that the store has imported and written into a fresh file, which then replaces the
  /// store.
  ///
  /// Some rows may be in the store but in no log, because they were written past the store or their records
  /// were lost with its bookkeeping. They are kept in a file beside the store.
  ///
  /// - Returns: the number of replayed transactions, and where such rows are.
  /// - Throws: also if another process has the store open, or if logs are missing. The store is unchanged
  ///   then.
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
