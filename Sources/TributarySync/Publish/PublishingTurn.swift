import TributaryFiles

/// The turn of one process to publish a store's transactions. Others wait, since two that publish
/// the same would group it differently and leave it in the container twice.
///
/// Nothing else depends on it. It is a lock on a part of the write-ahead log, on this machine's own
/// disk, that SQLite itself does not lock; the system releases it when a process dies.
final class PublishingTurn {
  private var lock: FileLock?

  /// As long as writers wait for each other.
  private static let limit = Duration.seconds(5)

  /// Waits for the turn.
  ///
  /// - Parameter database: the path, with links resolved.
  /// - Throws: `SyncError` with the code `inUse` if another process held it for too long; `FileError`.
  init(for database: String) throws {
    do {
      lock = try FileLock.take(database + "-wal", within: Self.limit)
    } catch {
      // The log is empty, so there is nothing that could be published twice now.
      if error.isMissing { return }
      throw error
    }
    if lock != nil { return }
    throw SyncError(
      .inUse, "another process has been publishing for more than 5 seconds", path: database,
      remedy: "nothing needs to be done unless it hangs: it publishes what was written here too")
  }
}
