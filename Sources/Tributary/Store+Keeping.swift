public import TributarySync

extension Store {
  /// Copies the database, as it is at this moment, into a new file. Readers and writers go on meanwhile.
  ///
  /// A store that is made of the copy later is recognised as one that came back from a backup; see
  /// `SyncReport.renewal`.
  ///
  /// - Parameter path: the path of a file that does not exist.
  /// - Throws: `StoreError` with the code `path` if it exists; `SQLiteError`. No file is left then.
  public func backup(to path: String) throws { try local.backup(to: path) }

  /// Replays the logs from nothing, by the definition of the merge, and compares the result with the store. Changes
  /// nothing.
  ///
  /// - Complexity: reads all logs and the whole database.
  /// - Throws: `SyncError` if logs are missing.
  public func verify() throws -> VerifyReport { try verify {} }

  /// - Parameter check: called periodically; throw to cancel.
  func verify(_ check: @escaping () throws -> Void) throws -> VerifyReport {
    // It reads the file by itself, and a closed store says so.
    try local.read { _ in }
    return try Engine.verify(store: path, environment: environment) { _ in try check() }
  }

  /// Makes the store an ordinary database with the same rows, and closes it. Publishes what is not published yet first.
  ///
  /// - Parameters:
  ///   - removingLogs: whether to remove the store's own directory from the container, too. What other devices have not
  ///     imported by then never reaches them.
  ///   - leavingUnpublished: whether to do so even if something cannot be published, which the other devices then never get.
  /// - Throws: `SyncError` with the code `unpublished` if something cannot be published, and `StoreError` with the code
  ///   `misuse` inside a write; the store goes on then. Also if a log cannot be removed, or another program has the database
  ///   open; the store is closed then, and can be opened again.
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

  /// Replays everything that a closed store has imported and written into a fresh file, which takes its place.
  ///
  /// - Returns: the number of replayed transactions, and where rows are kept that no log has.
  /// - Throws: `SyncError` with the code `inUse` if the store is open; also if logs are missing. The store is then unchanged.
  @discardableResult
  public static func rebuild(
    at path: String, environment: StoreEnvironment = StoreEnvironment()
  ) async throws -> RebuildReport {
    try await Blocking.run { try Engine.rebuild(store: path, environment: environment) }
  }
}
