import CSQLite
import TributaryCore
import TributarySQLite

/// A statement to run many times within one closure, with its parameters bound by position from 1.
public struct PreparedStatement {
  private let statement: Statement
  private let database: Database
  /// Where rows pass, SQLite is called directly; what fails is called again through `statement`,
  /// which makes the error.
  private let handle: OpaquePointer
  /// It does nothing but read or write rows.
  private let isOrdinary: Bool

  init(_ statement: Statement, database: Database) {
    self.statement = statement
    self.database = database
    handle = statement.handle
    isOrdinary = statement.kind == .ordinary
  }

  public func bind(_ value: some ValueConvertible, at index: Int) throws(SQLiteError) {
    try statement.bind(value.value, at: index)
  }

  public func bind(_ integer: Int64, at index: Int) throws(SQLiteError) {
    if sqlite3_bind_int64(handle, Int32(clamping: index), integer) == SQLITE_OK { return }
    try statement.bind(integer, at: index)
  }

  public func bind(_ real: Double, at index: Int) throws(SQLiteError) {
    if sqlite3_bind_double(handle, Int32(clamping: index), real) == SQLITE_OK { return }
    try statement.bind(real, at: index)
  }

  public func bindNull(at index: Int) throws(SQLiteError) { try statement.bindNull(at: index) }

  /// Binds text without copying it: the bytes must stay until the statement has run.
  public func bind(borrowedText bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
    // No address means NULL to SQLite, and empty text is not that.
    if let start = bytes.baseAddress,
      tributary_bind_text(
        handle, Int32(clamping: index), start, UInt64(bytes.count), 0) == SQLITE_OK
    {
      return
    }
    try statement.bind(borrowedText: bytes, at: index)
  }

  /// Binds a blob without copying it: the bytes must stay until the statement has run.
  public func bind(borrowedBlob bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
    if let start = bytes.baseAddress,
      tributary_bind_blob(
        handle, Int32(clamping: index), start, UInt64(bytes.count), 0) == SQLITE_OK
    {
      return
    }
    try statement.bind(borrowedBlob: bytes, at: index)
  }

  /// Runs to the end with what is bound; rows are passed over.
  public func run() throws {
    if isOrdinary {
      try database.runOrdinary(statement)
    } else {
      try database.run(statement) { _ in }
    }
  }

  /// Binds all parameters, then runs to the end.
  public func run(_ arguments: (any ValueConvertible)?...) throws {
    try database.run(statement, arguments.map { $0?.value ?? .null }) { _ in }
  }
}
