import CSQLite
import TributaryCore

extension Statement {
  /// Binds all parameters, starting with the first.
  ///
  /// - Throws: if the number of values is not the statement's number of parameters.
  package func bind(_ parameters: [Value]) throws(SQLiteError) {
    guard parameters.count == parameterCount else { throw wrongCount(given: parameters.count) }
    for (index, value) in parameters.enumerated() { try bind(value, at: index + 1) }
  }

  /// Binds all parameters by their names.
  ///
  /// - Parameter values: the values by name, with or without the `:`, `@` or `$` before it.
  /// - Throws: an error if a parameter has no name or no value, or if there is no parameter for a
  ///   value.
  package func bind(named values: [String: Value]) throws(SQLiteError) {
    var unused = Set(values.keys)
    for index in stride(from: 1, through: parameterCount, by: 1) {
      guard let text = sqlite3_bind_parameter_name(handle, Int32(index)) else {
        throw misused("parameter \(index) has no name, and values were given by name")
      }
      let name = String(cString: text)
      let bare = String(name.dropFirst())
      guard let value = values[name] ?? values[bare] else {
        throw misused("there is no value for parameter \(name)")
      }
      unused.remove(values[name] == nil ? bare : name)
      try bind(value, at: index)
    }
    if let name = unused.min() { throw misused("the statement has no parameter \(name)") }
  }

  private func misused(_ message: String) -> SQLiteError {
    SQLiteError(code: SQLITE_RANGE, message: message, sql: sql, path: connection.path)
  }

  /// Returns the error for a wrong number of values.
  package func wrongCount(given: Int) -> SQLiteError {
    misused(
      "\(parameterCount) parameter\(parameterCount == 1 ? "" : "s") wanted, \(given) given")
  }

  package func bind(_ value: Value, at index: Int) throws(SQLiteError) {
    switch value {
    case .null: try bindNull(at: index)
    case .integer(let integer): try bind(integer, at: index)
    case .real(let real): try bind(real, at: index)
    case .text(let bytes):
      try check(
        bytes.withUnsafeBytes {
          tributary_bind_text(
            handle, Int32(clamping: index), $0.orEmpty, UInt64($0.count), 1)
        }, index)
    case .blob(let bytes):
      try check(
        bytes.withUnsafeBytes {
          tributary_bind_blob(
            handle, Int32(clamping: index), $0.orEmpty, UInt64($0.count), 1)
        }, index)
    }
  }

  /// Accesses the connection only on failure: on the row path, the access would be noticeable.
  @inline(__always)
  private func check(_ code: Int32, _ index: Int) throws(SQLiteError) {
    if code != SQLITE_OK { throw failure(code, index) }
  }

  @inline(never)
  private func failure(_ code: Int32, _ index: Int) -> SQLiteError {
    var failure = connection.error(code, sql: sql)
    if !(1...max(parameterCount, 1)).contains(index) || parameterCount == 0 {
      failure.resultCode = SQLITE_RANGE
      failure.message = "there is no parameter \(index): the statement has \(parameterCount)"
    }
    return failure
  }

  package func bindNull(at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_null(handle, Int32(clamping: index)), index)
  }

  package func bind(_ integer: Int64, at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_int64(handle, Int32(clamping: index), integer), index)
  }

  package func bind(_ real: Double, at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_double(handle, Int32(clamping: index), real), index)
  }

  /// Binds text without copying it. The bytes must stay valid until the statement has run and is
  /// bound again.
  package func bind(borrowedText bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
    try check(
      tributary_bind_text(handle, Int32(clamping: index), bytes.orEmpty, UInt64(bytes.count), 0),
      index)
  }

  /// Binds a blob without copying it. The bytes must stay valid until the statement has run and is
  /// bound again.
  package func bind(borrowedBlob bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
    try check(
      tributary_bind_blob(handle, Int32(clamping: index), bytes.orEmpty, UInt64(bytes.count), 0),
      index)
  }
}

extension UnsafeRawBufferPointer {
  /// The start address; for an empty buffer, some non-null address, because SQLite treats a null
  /// pointer as NULL.
  var orEmpty: UnsafeRawPointer {
    baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
  }
}
