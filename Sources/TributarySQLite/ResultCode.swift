import CSQLite

extension Connection {
  /// The one place where a result code becomes an error.
  @inline(__always)
  func check(_ code: Int32, sql: @autoclosure () -> String? = nil) throws(SQLiteError) {
    if code != SQLITE_OK { throw error(code, sql: sql()) }
  }

  /// The error for the last call, with SQLite's own words.
  func error(_ code: Int32, sql: String? = nil) -> SQLiteError {
    let extended = sqlite3_extended_errcode(handle)
    return SQLiteError(
      code: extended & 0xff == code & 0xff ? extended : code,
      message: String(cString: sqlite3_errmsg(handle)), sql: sql, path: path)
  }
}
