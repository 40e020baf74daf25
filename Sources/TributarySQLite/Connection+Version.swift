import CSQLite

extension Connection {
  /// A number that changes with every commit to the file, by this connection or any other.
  ///
  /// Reading it needs no statement; it is as fresh as the open transaction.
  ///
  /// Source: https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntldataversion
  package var dataVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Returns what `read` returns, which is kept until the next commit to the file. Each type of value has one
  /// meaning.
  ///
  /// While this connection writes, nothing is kept: a rollback would not show.
  ///
  /// - Parameter read: reads nothing but this database.
  /// - Complexity: one statement outside a transaction, and none in one, if there was no commit.
  package func remembered<Value: Sendable>(_ read: () throws -> Value) throws -> Value {
    if isWriting { return try read() }
    // Outside a transaction, only a statement brings the connection up to date with the file.
    if sqlite3_txn_state(handle, "main") == SQLITE_TXN_NONE {
      _ = try integer("PRAGMA schema_version")
    }
    let version = dataVersion
    if let known = cache[Remembered<Value>.self], known.version == version { return known.value }
    let value = try read()
    cache[Remembered<Value>.self] = Remembered(version: version, value: value)
    return value
  }

  private struct Remembered<Value: Sendable>: Sendable {
    var version: UInt32
    var value: Value
  }
}
