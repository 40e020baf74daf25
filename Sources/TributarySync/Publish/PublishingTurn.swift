import TributaryFiles

/// The turn of one process to publish a store's transactions. Other processes wait: two that published the
/// same transactions would group them differently and leave them in the container twice.
///
/// Nothing else depends on it. It is a lock on a part of the write-ahead log that SQLite itself does not
/// lock, on this machine's own disk. The system releases it when the process dies.
final class PublishingTurn {
  private var lock: FileLock?

  /// The time that writers wait for each other.
  private static let limit = Duration.seconds(5)

  /// Waits for the turn.
  ///
  /// - Parameter database: the path, with links resolved.
  /// - Throws: `SyncError` with the code `inUse` if another process held the turn for too long; `FileError`.
  init(for database: String) throws {
    do {
      lock = try FileLock.take(database + "-wal", within: Self.limit)
    } catch {
      // The log is missing, so there is nothing that could be published twice now.
      if error.isMissing { return }
      throw error
    }
    if lock != nil { return }
    throw SyncError(
      .inUse, "another process has been publishing for more than 5 seconds", path: database,
      remedy: "nothing needs to be done unless it hangs: it publishes what was written here too")
  }
}
