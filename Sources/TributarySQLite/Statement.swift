import CSQLite
import TributaryCore

/// A prepared statement.
///
/// Parameters and columns are numbered as in SQLite: parameters from 1, columns from 0. Parameters
/// keep their values until they are bound again. A statement must not be used after its connection
/// is closed.
@usableFromInline package final class Statement {
  @usableFromInline package let handle: OpaquePointer
  package let sql: String
  package let parameterCount: Int

  /// Whether the statement certainly changes nothing.
  /// https://www.sqlite.org/c3ref/stmt_readonly.html
  package let isReadOnly: Bool

  /// What the statement does besides reading and writing rows; always `ordinary` on a connection
  /// that does not classify.
  package let kind: StatementKind

  private var isFinalized = false

  /// When the statement was last requested, as a count within its cache.
  var lastUse: UInt64 = 0
  /// Whether the statement is lent and not yet returned.
  var isLent = false

  unowned let connection: Connection

  init(handle: OpaquePointer, sql: String, connection: Connection) {
    self.handle = handle
    self.sql = sql
    self.connection = connection
    kind = connection.classifier?.kind ?? .ordinary
    parameterCount = Int(sqlite3_bind_parameter_count(handle))
    isReadOnly = sqlite3_stmt_readonly(handle) != 0
  }

  deinit { finalize() }

  func finalize() {
    if !isFinalized { sqlite3_finalize(handle) }
    isFinalized = true
  }

  /// Whether the statement is between its first and its last row.
  package var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

  /// Advances to the next row.
  ///
  /// - Returns: whether there is one.
  /// - Throws: `SQLiteError`; the statement is then reset.
  @discardableResult
  package func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  /// Runs the statement to its end and resets it.
  package func run() throws(SQLiteError) {
    var code = sqlite3_step(handle)
    while code == SQLITE_ROW { code = sqlite3_step(handle) }
    guard code == SQLITE_DONE else { throw failure(code) }
    sqlite3_reset(handle)
  }

  /// Resets the statement after a failure.
  @inline(never)
  private func failure(_ code: Int32) -> SQLiteError {
    let failure = connection.error(code, sql: sql)
    connection.statementFailed()
    sqlite3_reset(handle)
    return failure
  }

  /// Runs the statement with parameters to its end and resets it.
  package func run(_ parameters: Value...) throws(SQLiteError) {
    try bind(parameters)
    try run()
  }

  @inlinable package func reset() { sqlite3_reset(handle) }

  /// Clears all parameters: they are NULL again.
  package func clearBindings() { sqlite3_clear_bindings(handle) }

  /// The number of result columns. That of `SELECT *` changes when columns are added to the table.
  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The names of the result columns.
  package var columnNames: [String] {
    (0..<columnCount).map { String(cString: sqlite3_column_name(handle, Int32($0))) }
  }
}
