import TributaryFiles
import TributarySQLite
import TributaryStore

/// A database that nobody else can open while it is held.
final class ExclusiveDatabase {
  let connection: Connection

  /// - Throws: `SyncError.inUse` when another connection has it open.
  init(path: String) throws {
    connection = try Connection(path: path, mode: .readWrite)
    do {
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
    } catch let error where error.isBusy {
      throw SyncError(
        .inUse, "another process has the database open", path: path,
        remedy: "stop it (perhaps `tributary sync --watch`), then try again")
    }
  }

  /// Makes a copy without the free space.
  func copy(to path: String) throws {
    try connection.execute("VACUUM INTO \(path.quotedLiteral)")
  }

  /// Gives it the contents of the database in a file, in one transaction.
  ///
  /// The file itself stays: were another renamed over it, whoever waits for this one would go on
  /// with what has gone, and with the write-ahead log of the new one beside it.
  ///
  /// - Throws: it is then as it was.
  func replaceContents(withThoseOf source: String) throws {
    let replacement = try Connection(path: source, mode: .readWrite)
    defer { replacement.close() }
    // What is still in a log of its own comes into the file.
    try replacement.execute("PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = DELETE")
    // In WAL mode the size of a page cannot change.
    try connection.execute("PRAGMA journal_mode = DELETE")
    try connection.replaceContents(with: replacement)
    try connection.execute("PRAGMA journal_mode = WAL")
    try CommitSeal(connection).setAlone()
  }

  /// Lets it go.
  func release() { connection.close() }
}
