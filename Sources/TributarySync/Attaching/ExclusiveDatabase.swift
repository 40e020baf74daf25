import TributaryFiles
import TributarySQLite

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

  /// Lets it go.
  func release() { connection.close() }
}
