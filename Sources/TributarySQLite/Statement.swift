import CSQLite
import TributaryCore

/// A prepared statement.
///
/// Parameters and columns count as SQLite counts them: parameters from 1, columns from 0. It keeps
/// its parameters until they are bound anew, and must not outlive its connection's last use.
public final class Statement {
  public let handle: OpaquePointer
  public let sql: String
  public let parameterCount: Int

  /// Whether it is known to change nothing. https://www.sqlite.org/c3ref/stmt_readonly.html
  public let isReadOnly: Bool

  /// What it does beside rows; always `ordinary` on a connection that does not classify.
  public let kind: StatementKind

  private var isFinalized = false

  /// When it was last asked for, among those of its cache.
  var lastUse: UInt64 = 0
  /// It belongs to somebody until it is given back.
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

  /// Whether it stands between its first and its last row.
  public var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

  /// Goes to the next row.
  ///
  /// - Returns: whether there is one.
  /// - Throws: what SQLite says; the statement is then reset.
  @discardableResult
  public func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  /// Runs to the end and resets.
  public func run() throws(SQLiteError) {
    var code = sqlite3_step(handle)
    while code == SQLITE_ROW { code = sqlite3_step(handle) }
    guard code == SQLITE_DONE else { throw failure(code) }
    sqlite3_reset(handle)
  }

  /// Resets after a failure.
  @inline(never)
  private func failure(_ code: Int32) -> SQLiteError {
    let failure = connection.error(code, sql: sql)
    connection.statementFailed()
    sqlite3_reset(handle)
    return failure
  }

  /// Runs with parameters to the end and resets.
  public func run(_ parameters: Value...) throws(SQLiteError) {
    try bind(parameters)
    try run()
  }

  @inlinable public func reset() { sqlite3_reset(handle) }

  /// Forgets all parameters: they are NULL again.
  public func clearBindings() { sqlite3_clear_bindings(handle) }

  /// Of a result; `SELECT *` has other columns when the table has got other ones.
  public var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The names of the result columns.
  public var columnNames: [String] {
    (0..<columnCount).map { String(cString: sqlite3_column_name(handle, Int32($0))) }
  }
}
