import TributaryCore
import TributarySQLite

/// A statement to run many times within one closure, with its parameters bound by position from 1.
public struct PreparedStatement {
  private let statement: Statement
  private let database: Database

  init(_ statement: Statement, database: Database) {
    self.statement = statement
    self.database = database
  }

  public func bind(_ value: some ValueConvertible, at index: Int) throws(SQLiteError) {
    try statement.bind(value.value, at: index)
  }

  @inline(__always)
  public func bind(_ integer: Int64, at index: Int) throws(SQLiteError) {
    try statement.bind(integer, at: index)
  }

  public func bindNull(at index: Int) throws(SQLiteError) { try statement.bindNull(at: index) }

  /// Binds text without copying it: the bytes must stay until the statement has run.
  public func bind(borrowedText bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
    try statement.bind(borrowedText: bytes, at: index)
  }

  /// Binds a blob without copying it: the bytes must stay until the statement has run.
  public func bind(borrowedBlob bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
    try statement.bind(borrowedBlob: bytes, at: index)
  }

  /// Runs to the end with what is bound; rows are passed over.
  public func run() throws { try database.run(statement) { _ in } }

  /// Binds all parameters, then runs to the end.
  public func run(_ arguments: (any ValueConvertible)?...) throws {
    try database.run(statement, arguments.map { $0?.value ?? .null }) { _ in }
  }
}
