import CSQLite
import TributaryCore

extension Statement {
  /// Binds all parameters, from the first.
  ///
  /// - Throws: when their number is not the statement's.
  public func bind(_ parameters: [Value]) throws(SQLiteError) {
    guard parameters.count == parameterCount else {
      throw SQLiteError(
        code: SQLITE_RANGE,
        message: "\(parameterCount) parameters wanted, \(parameters.count) given", sql: sql,
        path: connection.path)
    }
    for (index, value) in parameters.enumerated() { try bind(value, at: index + 1) }
  }

  public func bind(_ value: Value, at index: Int) throws(SQLiteError) {
    switch value {
    case .null: try bindNull(at: index)
    case .integer(let integer): try bind(integer, at: index)
    case .real(let real): try bind(real, at: index)
    case .text(let bytes):
      try check(
        bytes.withUnsafeBytes {
          tributary_bind_text(handle, Int32(index), $0.orEmpty, UInt64($0.count), 1)
        })
    case .blob(let bytes):
      try check(
        bytes.withUnsafeBytes {
          tributary_bind_blob(handle, Int32(index), $0.orEmpty, UInt64($0.count), 1)
        })
    }
  }

  /// Takes hold of the connection only when something is wrong: where rows pass, that would be noticed.
  @inline(__always)
  private func check(_ code: Int32) throws(SQLiteError) {
    if code != SQLITE_OK { throw connection.error(code, sql: sql) }
  }

  public func bindNull(at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_null(handle, Int32(index)))
  }

  public func bind(_ integer: Int64, at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_int64(handle, Int32(index), integer))
  }

  public func bind(_ real: Double, at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_double(handle, Int32(index), real))
  }

  /// Binds text without copying it: the bytes must stay until the statement is run and bound anew.
  public func bind(borrowedText bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
    try check(
      tributary_bind_text(handle, Int32(index), bytes.orEmpty, UInt64(bytes.count), 0))
  }

  /// Binds a blob without copying it: the bytes must stay until the statement is run and bound
  /// anew.
  public func bind(borrowedBlob bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
    try check(
      tributary_bind_blob(handle, Int32(index), bytes.orEmpty, UInt64(bytes.count), 0))
  }
}

extension UnsafeRawBufferPointer {
  /// The start, and for no bytes some address: SQLite takes a null pointer for NULL.
  var orEmpty: UnsafeRawPointer {
    baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
  }
}
