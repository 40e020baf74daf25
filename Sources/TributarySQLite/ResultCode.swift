import CSQLite

extension Connection {
  /// Converts a result code to an error. No other place does that.
  @inline(__always)
  func check(_ code: Int32, sql: @autoclosure () -> String? = nil) throws(SQLiteError) {
    if code != SQLITE_OK { throw error(code, sql: sql()) }
  }

  /// Returns the error of the last call, with SQLite's own message.
  func error(_ code: Int32, sql: String? = nil) -> SQLiteError {
    let extended = sqlite3_extended_errcode(handle)
    var error = SQLiteError(
      code: extended & 0xff == code & 0xff ? extended : code,
      message: String(cString: sqlite3_errmsg(handle)), sql: sql, path: path)
    error.systemCode = sqlite3_system_errno(handle)
    return error
  }
}
