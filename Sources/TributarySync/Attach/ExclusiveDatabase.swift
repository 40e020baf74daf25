import TributaryFiles
import TributarySQLite
import TributaryStore

/// A database that nobody else can open while it is held.
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

  /// Replaces the contents by those of the database in a file, in one transaction.
  ///
  /// The file itself stays. If another one were renamed over it, programs that wait for this one
  /// would continue with a file that is gone, and with the write-ahead log of the new one beside
  /// it.
  ///
  /// After a power cut at any moment, it has either the old contents or the new ones.
  ///
  /// - Throws: on failure; the database is then unchanged.
  func replaceContents(withThoseOf source: String, _ fileSystem: any FileSystem) throws {
    let replacement = try Connection(path: source, mode: .readWrite)
    defer { replacement.close() }
    // What is still in a log of its own is moved into the file.
    try replacement.execute("PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = DELETE")
    // In WAL mode, the size of a page cannot change.
    try connection.execute("PRAGMA journal_mode = DELETE")
    // A log that came back after a power cut would be replayed over the new contents. SQLite does not wait until
    // its removal is durable.
    try fileSystem.synchronizeDirectory(connection.filePath.parentDirectory)
    let isPending = try ForeignCapture(replacement).isPending()
    try connection.replaceContents(with: replacement)
    // Not when the triggers were not in line there.
    if !isPending { try ForeignCapture(connection).noteCopied() }
    try connection.execute("PRAGMA journal_mode = WAL")
    try CommitSeal(connection).setAlone()
  }

  /// Releases the database.
  func release() { connection.close() }
}
