import CSQLite

/// The changes of the table `tracks` from now on, as SQLite's session extension records them.
final class SessionChanges {
  private var session: OpaquePointer?

  init(of database: PlainDatabase) throws {
    guard sqlite3session_create(database.handle, "main", &session) == SQLITE_OK,
      sqlite3session_attach(session, "tracks") == SQLITE_OK
    else { throw BenchmarkError("no session") }
  }

  deinit { sqlite3session_delete(session) }

  /// Calls `body` with the changes so far.
  func withChangeset(_ body: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
    var count: Int32 = 0
    var changes: UnsafeMutableRawPointer?
    guard sqlite3session_changeset(session, &count, &changes) == SQLITE_OK else {
      throw BenchmarkError("no changeset")
    }
    defer { sqlite3_free(changes) }
    try body(UnsafeMutableRawBufferPointer(start: changes, count: Int(count)))
  }
}
