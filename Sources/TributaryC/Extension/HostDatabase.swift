import CSQLite
import TributaryCore
import TributaryStore

/// The database of the connection that calls a function.
struct HostDatabase {
  let path: String
  private let connection: OpaquePointer?

  /// Examines the connection.
  ///
  /// - Throws: `CallError` if the database cannot be a store, or the connection is in the middle of
  ///   something: a synchronisation on another connection would wait for it in vain.
  init(_ context: OpaquePointer?) throws(CallError) {
    connection = sqlite3_context_db_handle(context)
    path = sqlite3_db_filename(connection, "main").map { String(cString: $0) } ?? ""
    guard !path.isEmpty else {
      throw CallError(
        "the database of this connection is in memory or temporary, and cannot be a store",
        remedy: "open a file")
    }
    var system: UnsafeMutablePointer<sqlite3_vfs>?
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_VFS_POINTER, &system)
    guard system == sqlite3_vfs_find(nil) else {
      throw CallError(
        "\(path): this connection was opened through a VFS of its own, whose locks others do not see",
        remedy: "open it through the VFS that SQLite takes by itself")
    }
    guard sqlite3_get_autocommit(connection) != 0 else {
      throw CallError(
        "\(path): this connection is in a transaction", remedy: "commit it or roll it back first")
    }
    guard sqlite3_txn_state(connection, "main") == SQLITE_TXN_NONE else {
      throw CallError(
        "\(path): a statement of this connection is still reading",
        remedy: "read its rows to the end, or reset it; call the function without FROM")
    }
  }

  /// Opens the store for one call.
  func withStore<Result>(_ body: (StoreHandle) throws -> Result) throws -> Result {
    let store = try Operations.open(path)
    defer { store.close() }
    return try body(store)
  }

  /// Runs `body`, which may need exclusive use of the database. In WAL mode this connection holds a lock as
  /// long as it is open, so it leaves WAL mode unless another connection holds a lock.
  func lending<Result>(_ body: () throws -> Result) throws -> Result {
    let isLogging = journalMode() == "wal"
    // If it does not leave WAL mode, whatever needs the database reports that.
    if isLogging { journalMode("DELETE") }
    do {
      return try body()
    } catch {
      if isLogging { journalMode("WAL") }
      throw error
    }
  }

  /// Returns the journal mode, after setting it if one is given; *PRAGMA journal_mode*.
  @discardableResult
  private func journalMode(_ mode: String? = nil) -> String? {
    var statement: OpaquePointer?
    let sql = "PRAGMA main.journal_mode" + (mode.map { " = \($0)" } ?? "")
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
    else { return nil }
    return String(cString: text)
  }
}
