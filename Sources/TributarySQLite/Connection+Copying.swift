import CSQLite
import Glibc

extension Connection {
  /// Copies the main database, as one transaction sees it, into a new file that survives a power cut.
  ///
  /// Source: https://www.sqlite.org/backup.html
  package func copy(to path: String) throws(SQLiteError) {
    let target = try Connection(path: path, mode: .create)
    defer { target.close() }
    guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw target.error(sqlite3_errcode(target.handle))
    }
    // All pages in one step: no connection can write in between, and writers of a WAL database need not wait.
    let step = sqlite3_backup_step(backup, -1)
    let end = sqlite3_backup_finish(backup)
    if step != SQLITE_DONE { throw target.error(end == SQLITE_OK ? step : end) }
    // A single file, complete without a log beside it.
    try target.execute("PRAGMA journal_mode = DELETE")
  }

  /// Copies the main database into a new file without the free space or, if a table needs a collation or a
  /// function that this connection does not know, page by page.
  package func copyCompactly(to path: String) throws(SQLiteError) {
    do {
      try execute("VACUUM INTO \(path.quotedLiteral)")
    } catch {
      guard error.isOfStatement else { throw error }
      unlink(path)
      try copy(to: path)
    }
  }
}
