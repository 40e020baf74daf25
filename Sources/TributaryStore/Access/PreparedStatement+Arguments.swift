public import TributaryCore

extension PreparedStatement {
  /// Binds all parameters, then runs to the end, ignoring the rows.
  ///
  /// - Throws: also `SQLiteError` if a parameter or a value is left over.
  public func run(_ arguments: Arguments) throws { try each(arguments) { _ in } }

  /// Binds all parameters by position, then runs to the end, ignoring the rows.
  public func run(_ arguments: [Value]) throws { try run(Arguments(arguments)) }

  /// Binds all parameters, and returns all rows.
  public func query(_ arguments: Arguments = []) throws -> [Row] {
    var rows = Rows()
    try each(arguments) { rows.append($0) }
    return rows.all
  }

  /// Binds all parameters by position, and returns all rows.
  public func query(_ arguments: [Value]) throws -> [Row] { try query(Arguments(arguments)) }

  /// Binds all parameters, and returns the first row; `nil` if there is none.
  public func first(_ arguments: Arguments = []) throws -> Row? {
    var rows = Rows()
    try toFirst(arguments) { rows.append($0) }
    return rows.all.first
  }

  /// Binds all parameters by position, and returns the first row; `nil` if there is none.
  public func first(_ arguments: [Value]) throws -> Row? { try first(Arguments(arguments)) }

  /// Binds all parameters, and calls `body` with each row; see `Database.forEach`.
  ///
  /// - Throws: also what `body` throws.
  public func forEach(
    _ arguments: Arguments = [], _ body: (borrowing BorrowedRow) throws -> Void
  ) throws {
    let columns = ResultColumns()
    try each(arguments) { try body(BorrowedRow($0, columns)) }
  }

  /// Binds all parameters by position, and calls `body` with each row.
  public func forEach(
    _ arguments: [Value], _ body: (borrowing BorrowedRow) throws -> Void
  ) throws {
    try forEach(Arguments(arguments), body)
  }
}
