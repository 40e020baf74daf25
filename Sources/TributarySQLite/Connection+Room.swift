import CSQLite

extension Connection {
  /// Whether the database cannot be read because the disk has no space for the files that SQLite keeps beside
  /// it.
  ///
  /// - Returns: the reason; `nil` if there is none, or a different one, which the next statement runs into as
  ///   well.
  package func lackOfRoom() -> SQLiteError? {
    do {
      _ = try integer("PRAGMA main.schema_version")
      return nil
    } catch {
      return error.lacksRoom ? error : nil
    }
  }

  /// Makes a connection, before its first statement, need no disk space for reading. It keeps the index of
  /// the write-ahead log in memory, and so keeps other connections out until it is closed.
  ///
  /// Source: https://www.sqlite.org/wal.html#noshm
  package func keepLogIndexInMemory() throws(SQLiteError) {
    try execute("PRAGMA locking_mode = EXCLUSIVE")
    keepsOthersOut = true
  }
}
