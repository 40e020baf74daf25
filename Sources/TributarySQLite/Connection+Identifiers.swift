import CSQLite

extension Connection {
  /// Registers `tributary_id()` on this connection.
  func addIdentifiers() throws(SQLiteError) {
    let code = Self.addIdentifiers(to: handle)
    if code != SQLITE_OK { throw error(code) }
  }

  /// Registers the SQL function `tributary_id()`, which returns a random integer from 1 to 2^62 - 1, a new
  /// one at each call, so that rows made on different devices have different keys.
  ///
  /// Defaults and triggers may use it.
  ///
  /// Source: https://www.sqlite.org/c3ref/create_function.html
  ///
  /// - Returns: a result code of SQLite.
  package static func addIdentifiers(to handle: OpaquePointer) -> Int32 {
    sqlite3_create_function_v2(
      handle, "tributary_id", 0, SQLITE_UTF8 | SQLITE_INNOCUOUS, nil,
      { context, _, _ in
        sqlite3_result_int64(context, Int64.random(in: 1..<1 << 62))
      }, nil, nil, nil)
  }
}
