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
}
