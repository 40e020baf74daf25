import TributaryFiles

/// The turn of one process to publish a store's transactions: others wait, since two who publish
/// the same would group it differently and leave it in the container twice.
///
/// Nothing depends on it but that. It is a lock on the write-ahead log, on this machine's own disk,
/// that SQLite itself does not lock; the system takes it back from a process that dies.
final class PublishingTurn {
  private var lock: FileLock?

  /// As long as writers wait for each other.
  private static let limit = Duration.seconds(5)

  /// Waits for it.
  ///
  /// - Parameter database: with links resolved.
  /// - Throws: `SyncError.inUse` when another process has had it for too long; `FileError`.
  init(for database: String) throws {
    do {
      lock = try FileLock.take(database + "-wal", within: Self.limit)
    } catch {
      // Nothing is in it, so there is nothing that somebody could publish twice now.
      if error.isMissing { return }
      throw error
    }
    if lock != nil { return }
    throw SyncError(
      .inUse, "another process has been publishing for more than 5 seconds", path: database,
      remedy: "nothing needs to be done unless it hangs: it publishes what was written here too")
  }
}
