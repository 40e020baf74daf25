import TributaryFiles
import TributarySQLite
import TributaryStore

/// A database that no other connection can open while it is held.
final class ExclusiveDatabase {
  let connection: Connection

  /// Opens a database exclusively.
  ///
  /// - Throws: `SyncError` with the code `inUse` if another connection has it open.
  init(path: String) throws {
    connection = try Connection(path: path, mode: .readWrite)
    do {
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
    } catch let error where error.isBusy {
      throw SyncError(
        .inUse, "another process, or this one, has the database open", path: path,
        remedy:
          "close it there, or stop that process (perhaps `tributary sync --watch`), then try again")
    }
  }

  /// Makes a copy without the free space.
  func copy(to path: String) throws { try connection.copyCompactly(to: path) }

  /// Replaces the contents with those of the database in a file, in one transaction.
  ///
  /// The file itself stays. If another file were renamed over it, programs that wait for this one would
  /// continue with a deleted file, and with the new file's write-ahead log beside it.
  ///
  /// After a power cut at any moment, it has either the old contents or the new ones.
  ///
  /// - Throws: on failure. The database is unchanged then.
  func replaceContents(withThoseOf source: String, _ fileSystem: any FileSystem) throws {
    let replacement = try Connection(path: source, mode: .readWrite)
    defer { replacement.close() }
    // What is still in the replacement's own log is moved into its file.
    try replacement.execute("PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = DELETE")
    // In WAL mode, the size of a page cannot change.
    try connection.execute("PRAGMA journal_mode = DELETE")
    // If the log came back after a power cut, it would be replayed over the new contents. SQLite does not
    // wait until its removal is durable.
    try fileSystem.synchronizeDirectory(connection.filePath.parentDirectory)
    let isPending = try ForeignCapture(replacement).isPending()
    try connection.replaceContents(with: replacement)
    // This is skipped if the triggers of the replacement were not up to date.
    if !isPending { try ForeignCapture(connection).noteCopied() }
    try connection.execute("PRAGMA journal_mode = WAL")
    try CommitSeal(connection).setAlone()
  }

  /// Releases the database.
  func release() { connection.close() }
}
