import CSQLite
import TributaryCore
import TributarySQLite

/// A statement that runs many times within one closure. Its parameters are bound by position, starting with
/// 1.
///
/// Its parameters are its own, even if another statement was prepared from the same text. Each run clears
/// them: all must be bound before the next run. Once the closure has returned, every call throws `StoreError`
/// with the code `misuse`.
public final class PreparedStatement {
  /// The statement; `nil` once the closure has returned.
  private var statement: Statement?
  /// On the row path, SQLite is called directly; a call that fails is repeated through `statement`, which
  /// makes the error.
  private var handle: OpaquePointer?
  private let database: Database
  private let parameterCount: Int
  /// Whether it does nothing but read or write rows.
  private let isOrdinary: Bool

  /// Its neighbours in the database's list of statements.
  unowned(unsafe) var previous: PreparedStatement?
  unowned(unsafe) var next: PreparedStatement?

  /// Whether its rows are being lent.
  private var isLending = false

  /// All parameters up to this one are bound, and so are those in `boundApart`.
  private var boundUpTo = 0
  private var boundApart: Set<Int> = []

  init(_ statement: Statement, database: Database) {
    self.statement = statement
    self.database = database
    handle = statement.handle
    parameterCount = statement.parameterCount
    isOrdinary = statement.kind == .ordinary
  }

  deinit {
    if let statement { database.takeBack(statement, of: self) }
  }

  /// Ends the use of the statement.
  ///
  /// - Returns: the statement, unless it was taken away before.
  func end() -> Statement? {
    handle = nil
    return statement.take()
  }

  // MARK: Binding

  /// Binds a parameter.
  ///
  /// - Throws: `SQLiteError` for a parameter that does not exist, `StoreError` with the code `misuse` after the closure.
  public func bind(_ value: some ValueConvertible, at index: Int) throws {
    try lent().bind(value.value, at: index)
    note(index)
  }

  /// Binds a value to a parameter; the first parameter has the index 1.
  public func bind(_ integer: Int64, at index: Int) throws {
    if let handle, sqlite3_bind_int64(handle, Int32(clamping: index), integer) == SQLITE_OK {
      return note(index)
    }
    try lent().bind(integer, at: index)
    note(index)
  }

  /// Binds a value to a parameter; the first parameter has the index 1.
  public func bind(_ real: Double, at index: Int) throws {
    if let handle, sqlite3_bind_double(handle, Int32(clamping: index), real) == SQLITE_OK {
      return note(index)
    }
    try lent().bind(real, at: index)
    note(index)
  }

  /// Binds NULL to a parameter; the first parameter has the index 1.
  public func bindNull(at index: Int) throws {
    try lent().bindNull(at: index)
    note(index)
  }

  /// Binds text without copying it. The bytes must stay valid until the statement has run.
  public func bind(borrowedText bytes: UnsafeRawBufferPointer, at index: Int) throws {
    // SQLite takes a null address for NULL, which differs from empty text.
    if let handle, let start = bytes.baseAddress,
      tributary_bind_text(
        handle, Int32(clamping: index), start, UInt64(bytes.count), 0) == SQLITE_OK
    {
      return note(index)
    }
    try lent().bind(borrowedText: bytes, at: index)
    note(index)
  }

  /// Binds a blob without copying it. The bytes must stay valid until the statement has run.
  public func bind(borrowedBlob bytes: UnsafeRawBufferPointer, at index: Int) throws {
    if let handle, let start = bytes.baseAddress,
      tributary_bind_blob(
        handle, Int32(clamping: index), start, UInt64(bytes.count), 0) == SQLITE_OK
    {
      return note(index)
    }
    try lent().bind(borrowedBlob: bytes, at: index)
    note(index)
  }

  // MARK: Running

  /// Runs to the end with the bound parameters, ignoring the rows.
  ///
  /// - Throws: also `SQLiteError` if a parameter was not bound since the last run.
  public func run() throws {
    let statement = try lent()
    defer { forgetParameters() }
    if boundUpTo != parameterCount { try checkComplete(statement) }
    if isOrdinary {
      try database.runOrdinary(statement)
    } else {
      try database.run(statement) { _ in }
    }
  }

  /// Binds all parameters, then runs to the end.
  ///
  /// - Throws: also `SQLiteError` if the number of arguments is not the number of parameters.
  @_disfavoredOverload
  public func run(_ arguments: (any ValueConvertible)?...) throws {
    try each(Arguments(arguments.map { $0?.value ?? .null })) { _ in }
  }

  /// Binds all parameters, and lends each row.
  func each(_ arguments: Arguments, _ row: (Statement) throws -> Void) throws {
    let statement = try lent()
    defer { forgetParameters() }
    try arguments.bind(to: statement)
    isLending = true
    defer { isLending = false }
    try database.run(statement, row)
  }

  /// Binds all parameters, and lends the first row.
  func toFirst(_ arguments: Arguments, _ row: (Statement) throws -> Void) throws {
    let statement = try lent()
    defer { forgetParameters() }
    try arguments.bind(to: statement)
    isLending = true
    defer { isLending = false }
    try database.runToFirst(statement, row)
  }

  private func lent() throws -> Statement {
    guard let statement else { throw database.statementWasKept }
    if isLending { throw database.statementIsLending }
    return statement
  }

  @inline(__always)
  private func note(_ index: Int) {
    if index == boundUpTo + 1 {
      boundUpTo = index
    } else if index > boundUpTo {
      boundApart.insert(index)
    }
  }

  @inline(__always)
  private func forgetParameters() {
    boundUpTo = 0
    if !boundApart.isEmpty { boundApart.removeAll() }
  }

  /// Parameters may be bound in any order.
  @inline(never)
  private func checkComplete(_ statement: Statement) throws {
    let bound = boundUpTo + boundApart.count { $0 > boundUpTo }
    guard bound == parameterCount else {
      throw statement.wrongCount(given: bound)
    }
  }
}
