import TributaryCore
import TributarySQLite

extension Database {
  /// Runs a statement, ignoring its rows.
  ///
  /// - Throws: as `execute(_:_:)` with single values, and `SQLiteError` if a parameter or a value is left over.
  public func execute(_ sql: String, _ arguments: Arguments) throws {
    try lending(sql) { statement in
      try arguments.bind(to: statement)
      try run(statement) { _ in }
    }
  }

  /// Runs a statement with values by position, ignoring its rows.
  public func execute(_ sql: String, _ arguments: [Value]) throws {
    try execute(sql, Arguments(arguments))
  }

  /// Returns all rows of a query, or of a statement with RETURNING.
  ///
  /// - Throws: as `execute`.
  public func query(_ sql: String, _ arguments: Arguments) throws -> [Row] {
    var rows = Rows()
    try lending(sql) { statement in
      try arguments.bind(to: statement)
      try run(statement) { rows.append($0) }
    }
    return rows.all
  }

  /// Returns all rows of a query with values by position.
  public func query(_ sql: String, _ arguments: [Value]) throws -> [Row] {
    try query(sql, Arguments(arguments))
  }

  /// Calls `body` with each row of a query, in order. No row is kept, so memory does not grow with their number.
  ///
  ///     try db.forEach("SELECT title, length FROM track") { row in
  ///       total += row.integer("length") ?? 0
  ///     }
  ///
  /// - Parameter body: called with a row that is valid during the call. It may run other statements, and throw to
  ///   stop.
  /// - Throws: as `execute`, and what `body` throws.
  public func forEach(
    _ sql: String, _ arguments: Arguments = [], _ body: (borrowing BorrowedRow) throws -> Void
  ) throws {
    try lending(sql) { statement in
      try arguments.bind(to: statement)
      let columns = ResultColumns()
      try run(statement) { try body(BorrowedRow($0, columns)) }
    }
  }

  /// Calls `body` with each row of a query with values by position.
  public func forEach(
    _ sql: String, _ arguments: [Value], _ body: (borrowing BorrowedRow) throws -> Void
  ) throws {
    try forEach(sql, Arguments(arguments), body)
  }

  /// Runs `body` in a savepoint: if it throws, its writes are undone, and the transaction goes on.
  ///
  /// Savepoints may be nested.
  ///
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws; `SQLiteError`.
  public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    // The innermost of several savepoints with the same name counts.
    try execute("SAVEPOINT \(Self.savepointName)")
    let result: Result
    do {
      result = try body()
    } catch {
      // Some errors undo the whole transaction, including its savepoints.
      if isInTransaction {
        try execute("ROLLBACK TO \(Self.savepointName); RELEASE \(Self.savepointName)")
      }
      throw error
    }
    try execute("RELEASE \(Self.savepointName)")
    return result
  }

  private static let savepointName = "closure_savepoint"

  /// The rowid of the last inserted row, in this or an earlier closure with the same connection; 0 before the
  /// first insert. A row that a trigger inserts does not count.
  ///
  /// - Throws: `StoreError` with the code `misuse` once the closure has returned.
  public var lastInsertedRowID: Int64 {
    get throws { try open().connection.lastInsertedRowIdentifier }
  }
}

/// The rows of one result, which share the names of the columns.
struct Rows {
  private(set) var all: [Row] = []
  private let columns = ResultColumns()

  mutating func append(_ statement: Statement) {
    all.append(Row(columns: columns.of(statement).names, values: statement.values))
  }
}
