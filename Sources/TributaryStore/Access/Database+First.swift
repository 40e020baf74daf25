import TributaryCore
import TributarySQLite

extension Database {
  /// Returns the first row of a query, or of a statement with RETURNING; `nil` if there is none.
  ///
  ///     let newest = try db.first("SELECT * FROM album ORDER BY year DESC")
  ///
  /// - Throws: as `execute`.
  @_disfavoredOverload
  public func first(_ sql: String, _ arguments: (any ValueConvertible)?...) throws -> Row? {
    try first(sql, Arguments(arguments.map { $0?.value ?? .null }))
  }

  /// Returns the first row of a query, or of a statement with RETURNING; `nil` if there is none.
  ///
  /// - Throws: as `execute`.
  public func first(_ sql: String, _ arguments: Arguments) throws -> Row? {
    var rows = Rows()
    try lending(sql) { statement in
      try arguments.bind(to: statement)
      try runToFirst(statement) { rows.append($0) }
    }
    return rows.all.first
  }

  /// Returns the first row of a query with values by position; `nil` if there is none.
  public func first(_ sql: String, _ arguments: [Value]) throws -> Row? {
    try first(sql, Arguments(arguments))
  }

  /// Lends the first row of a statement. A query ends there; a statement that writes runs to its end.
  func runToFirst(_ statement: Statement, _ row: (Statement) throws -> Void) throws {
    var isFirst = true
    do {
      try run(statement) { next in
        if isFirst { try row(next) }
        isFirst = false
        if statement.kind == .ordinary, statement.isReadOnly { throw Enough() }
      }
    } catch is Enough {}
  }

  /// Ends a query.
  private struct Enough: Error {}
}
