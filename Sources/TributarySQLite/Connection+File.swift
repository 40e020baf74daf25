import CSQLite
import Glibc

extension Connection {
  /// The absolute path of the database file, with links resolved. The log and the journal are beside that
  /// file.
  ///
  /// Source: https://www.sqlite.org/c3ref/db_filename.html
  package var filePath: String {
    guard let name = sqlite3_db_filename(handle, "main") else { return path }
    let resolved = String(cString: name)
    return resolved.isEmpty ? path : resolved
  }

  /// Whether the path now leads to another file, or to none.
  ///
  /// Source: https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlhasmoved
  package var hasMoved: Bool {
    var moved: Int32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return moved != 0
  }

  /// Makes this database a copy of another, page by page, in one transaction.
  ///
  /// In WAL mode, both databases must have the same page size.
  ///
  /// - Throws: an error on failure. The database is then unchanged.
  ///
  /// Source: https://www.sqlite.org/c3ref/backup_finish.html
  package func replaceContents(with source: Connection) throws(SQLiteError) {
    guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
      throw error(sqlite3_extended_errcode(handle), sql: nil)
    }
    try finish(backup, after: sqlite3_backup_step(backup, -1))
  }

  /// Ends a copy.
  ///
  /// - Parameter step: the result of the last step: `sqlite3_backup_finish` itself forgets that a lock was in
  ///   the way.
  private func finish(_ backup: OpaquePointer, after step: Int32) throws(SQLiteError) {
    let end = sqlite3_backup_finish(backup)
    if end == SQLITE_OK, step == SQLITE_DONE { return }
    throw error(end == SQLITE_OK ? step : end, sql: nil)
  }

  /// Replaces the database's contents as the other `replaceContents` does, several pages at a time.
  ///
  /// - Parameter step: called between the parts with the number of pages copied so far and the total number.
  ///   If it throws, the database is unchanged.
  package func replaceContents(
    with source: Connection, _ step: (_ done: Int, _ total: Int) throws -> Void
  ) throws {
    // Outside a transaction, a commit by another process would make the copy start over.
    try source.snapshot {
      _ = try source.integer("SELECT 1 FROM sqlite_schema LIMIT 1")
      guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
        throw error(sqlite3_extended_errcode(handle), sql: nil)
      }
      var result = SQLITE_OK
      do {
        while true {
          result = sqlite3_backup_step(backup, Self.pagesOfStep)
          guard result == SQLITE_OK else { break }
          let total = Int(sqlite3_backup_pagecount(backup))
          try step(total - Int(sqlite3_backup_remaining(backup)), total)
        }
      } catch {
        sqlite3_backup_finish(backup)
        throw error
      }
      try finish(backup, after: result)
    }
  }

  private static let pagesOfStep: Int32 = 1000

  /// The nanosecond part of the time of the file's last modification, as the file system reports it.
  package var writtenNanoseconds: Int? {
    var status = stat()
    return stat(filePath, &status) == 0 ? status.st_mtim.tv_nsec : nil
  }

  /// Sets the time of the file's last modification to now, with this nanosecond part. Only the owner of the
  /// file may do so.
  ///
  /// - Returns: whether the time was set.
  package func setWritten(nanoseconds: Int) -> Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    // Better slightly too late: a backup may skip a file that seems older than the last backup.
    let second = now.tv_nsec > nanoseconds ? now.tv_sec + 1 : now.tv_sec
    // UTIME_OMIT, which Swift does not import: it keeps the time of the last access.
    let omitted = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)
    let times = [omitted, timespec(tv_sec: second, tv_nsec: nanoseconds)]
    return utimensat(AT_FDCWD, filePath, times, 0) == 0 && writtenNanoseconds == nanoseconds
  }
}
