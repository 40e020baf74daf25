import CSQLite

extension Connection {
  /// Copies the contents of the write-ahead log into the database and empties the log, as far as
  /// this is possible at once: it does not wait for other connections, nor do they wait for it.
  ///
  /// - Returns: whether the log is now empty. It is not while a connection reads or writes.
  ///
  /// Source: https://www.sqlite.org/c3ref/wal_checkpoint_v2.html
  @discardableResult
  package func shortenLog() throws(SQLiteError) -> Bool {
    var frames: Int32 = 0
    var copied: Int32 = 0
    try checkpoint(SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
    guard frames == copied else { return false }
    // If there were readers, emptying the log would wait for them, and writers would have to wait
    // meanwhile.
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, busyMilliseconds) }
    do {
      try checkpoint(SQLITE_CHECKPOINT_TRUNCATE, &frames, &copied)
      return true
    } catch {
      guard error.isBusy else { throw error }
      return false
    }
  }

  /// Copies the contents of the write-ahead log into the database, as far as that is possible at
  /// once.
  package func copyLog() throws(SQLiteError) {
    var frames: Int32 = 0
    var copied: Int32 = 0
    try checkpoint(SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
  }

  /// Runs `body` so that it fails at once if another connection holds a lock.
  package func withoutWaiting<Result>(_ body: () throws -> Result) rethrows -> Result {
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, busyMilliseconds) }
    return try body()
  }

  private func checkpoint(
    _ mode: Int32, _ frames: inout Int32, _ copied: inout Int32
  ) throws(SQLiteError) {
    let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &frames, &copied)
    // A passive checkpoint is busy if another connection is already doing the same.
    if code == SQLITE_OK || mode == SQLITE_CHECKPOINT_PASSIVE && code & 0xff == SQLITE_BUSY {
      return
    }
    throw error(code, sql: nil)
  }
}
