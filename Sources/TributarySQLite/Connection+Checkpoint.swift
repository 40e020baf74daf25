import CSQLite

extension Connection {
  /// Copies what is in the write-ahead log into the database and empties the log, as far as that is
  /// possible at once: nobody waits for it, and it waits for nobody.
  ///
  /// - Returns: whether the log is empty now; not while somebody reads or writes.
  ///
  /// Source: https://www.sqlite.org/c3ref/wal_checkpoint_v2.html
  @discardableResult
  public func shortenLog() throws(SQLiteError) -> Bool {
    var frames: Int32 = 0
    var copied: Int32 = 0
    try checkpoint(SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
    guard frames == copied else { return false }
    // With readers about, emptying it would wait for them, and have writers wait meanwhile.
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

  /// Copies what is in the write-ahead log into the database, as far as that is possible at once.
  public func copyLog() throws(SQLiteError) {
    var frames: Int32 = 0
    var copied: Int32 = 0
    try checkpoint(SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
  }

  /// Has `body` fail at once where another connection has a lock.
  public func withoutWaiting<Result>(_ body: () throws -> Result) rethrows -> Result {
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, busyMilliseconds) }
    return try body()
  }

  private func checkpoint(
    _ mode: Int32, _ frames: inout Int32, _ copied: inout Int32
  ) throws(SQLiteError) {
    let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &frames, &copied)
    // A passive one is busy where another one is at work, which does the same.
    if code == SQLITE_OK || mode == SQLITE_CHECKPOINT_PASSIVE && code & 0xff == SQLITE_BUSY {
      return
    }
    throw error(code, sql: nil)
  }
}
