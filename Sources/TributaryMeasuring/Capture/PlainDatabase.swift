import CSQLite

/// SQLite as used by an application without Tributary: prepared statements, WAL, calls of the C
/// functions.
final class PlainDatabase {
  let handle: OpaquePointer
  private var statements: [OpaquePointer] = []

  init(_ path: String, isFullySynchronous: Bool = false) throws {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened else { throw BenchmarkError("\(path) cannot be opened") }
    handle = opened
    try execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = \(isFullySynchronous ? "FULL" : "NORMAL")")
  }

  deinit {
    for statement in statements { sqlite3_finalize(statement) }
    sqlite3_close(handle)
  }

  func execute(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    try check(
      sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    guard let statement else { throw BenchmarkError("no statement in: \(sql)") }
    statements.append(statement)
    return statement
  }

  @inline(__always)
  func run(_ statement: OpaquePointer) throws {
    var code = sqlite3_step(statement)
    while code == SQLITE_ROW { code = sqlite3_step(statement) }
    if code != SQLITE_DONE { throw error() }
    sqlite3_reset(statement)
  }

  /// Advances a statement.
  ///
  /// - Returns: whether there is a row.
  func step(_ statement: OpaquePointer) throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(statement)
      return false
    default: throw error()
    }
  }

  /// Returns the first column of the first row.
  func number(_ sql: String) throws -> Double { try first(sql) { sqlite3_column_double($0, 0) } }

  /// Returns the first column of the first row as text, without anything after a NUL.
  func text(_ sql: String) throws -> String {
    try first(sql) { statement in
      sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? ""
    }
  }

  private func first<Result>(
    _ sql: String, _ body: (OpaquePointer) -> Result
  ) throws -> Result {
    let statement = try prepare(sql)
    guard try step(statement) else { throw BenchmarkError("no row: \(sql)") }
    defer { sqlite3_reset(statement) }
    return body(statement)
  }

  /// Loads an extension through SQLite's default entry point.
  func load(extension file: String) throws {
    guard tributary_enable(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1) == SQLITE_OK else {
      throw error()
    }
    var message: UnsafeMutablePointer<CChar>?
    guard sqlite3_load_extension(handle, file, nil, &message) == SQLITE_OK else {
      defer { sqlite3_free(message) }
      throw BenchmarkError(message.map { String(cString: $0) } ?? "\(file) cannot be loaded")
    }
  }

  private func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw error() }
  }

  private func error() -> BenchmarkError { BenchmarkError(String(cString: sqlite3_errmsg(handle))) }
}
