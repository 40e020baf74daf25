public import TributarySync

extension Store {
  /// Copies the current state of the database into a new file. Reads and writes continue meanwhile.
  ///
  /// A store that is later made from the copy is recognised as restored from a backup; see
  /// `SyncReport.renewal`.
  ///
  /// - Parameter path: the path of a file that does not exist.
  /// - Throws: `StoreError` with the code `path` if it exists; `SQLiteError`. No file is left then.
  public func backup(to path: String) throws { try local.backup(to: path) }

  /// Replays the logs from scratch, following the definition of the merge, and compares the result with the
  /// store. Changes nothing.
  ///
  /// - Complexity: reads all logs and the whole database.
  /// - Throws: `SyncError` if logs are missing.
  public func verify() throws -> VerifyReport { try verify {} }

  /// - Parameter check: called periodically; throw to cancel.
  func verify(_ check: @escaping () throws -> Void) throws -> VerifyReport {
    // Verifying opens the file itself; this call throws if the store is closed.
    try local.read { _ in }
    return try Engine.verify(store: path, environment: environment) { _ in try check() }
  }

  /// Makes the store an ordinary database with the same rows, and closes it. First publishes what is not
  /// published yet.
  ///
  /// - Parameters:
  ///   - removingLogs: whether to remove what the store has published from the container, too. Other devices
  ///     never get what they have not imported by then. The store's directory keeps a `peer.json`, which says
  ///     that the store is retired, so that no device waits for it.
  ///   - leavingUnpublished: whether to detach even if something cannot be published. The other devices then
  ///     never get it.
  /// - Throws: `SyncError` with the code `unpublished` if something cannot be published, and `StoreError`
  ///   with the code `misuse` inside a write; the store remains in use then. Also throws if a log cannot be
  ///   removed, or another program has the database open; the store is closed then, and can be opened again.
  public func detach(removingLogs: Bool = false, leavingUnpublished: Bool = false) throws {
    try local.checkOpen()
    try local.checkOutsideWrite()
    if !removingLogs, !leavingUnpublished {
      try Engine.publishAll(of: session) { try synchronizeNow() }
    }
    close()
    try Engine.detach(
      store: path, removeLogs: removingLogs, leavingUnpublished: leavingUnpublished,
      environment: environment)
  }

  /// Replays everything that a closed store has imported and written into a fresh file, which replaces the
  /// database.
  ///
  /// - Returns: the number of replayed transactions, and where the rows that are in no log are kept.
  /// - Throws: `SyncError` with the code `inUse` if the store is open; also throws if logs are missing. The
  ///   store is then unchanged.
  @discardableResult
  public static func rebuild(
    at path: String, environment: StoreEnvironment = StoreEnvironment()
  ) async throws -> RebuildReport {
    try await Blocking.run { try Engine.rebuild(store: path, environment: environment) }
  }
}
