import CSQLite
import TributaryCore

/// The database of the connection that calls a function.
struct HostDatabase {
  let path: String

  /// Looks at the connection.
  ///
  /// - Throws: `CallError` if the database is none that can be a store, or the connection is in the middle of something:
  ///   a synchronisation on another connection would wait for it in vain.
  init(_ context: OpaquePointer?) throws(CallError) {
    let connection = sqlite3_context_db_handle(context)
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
}
