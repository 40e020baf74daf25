extension PreparedStatement {
  /// Binds all parameters, then runs to the end, ignoring the rows.
  ///
  /// - Throws: also `SQLiteError` if a parameter or a value is left over.
  public func run(_ arguments: Arguments) throws { try each(arguments) { _ in } }

  /// Binds all parameters, and returns all rows.
  public func query(_ arguments: Arguments = []) throws -> [Row] {
    var rows = Rows()
    try each(arguments) { rows.append($0) }
    return rows.all
  }

  /// Binds all parameters, and calls `body` with each row; see `Database.forEach`.
  ///
  /// - Throws: also what `body` throws.
  public func forEach(
    _ arguments: Arguments = [], _ body: (borrowing BorrowedRow) throws -> Void
  ) throws {
    try each(arguments) { try body(BorrowedRow($0)) }
  }
}
