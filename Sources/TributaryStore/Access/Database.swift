import CSQLite
import TributaryCore
import TributarySQLite

/// A database inside a `read` or `write`: what a closure works with, and only as long as it runs.
public final class Database {
  package let connection: Connection
  /// `nil` for reading.
  private let writer: WriterConnection?
  private var isOpen = true

  init(writer: WriterConnection) {
    self.writer = writer
    connection = writer.connection
  }

  init(reader: Connection) {
    writer = nil
    connection = reader
  }

  /// Ends its use; the closure that it was lent to has returned.
  func close() { isOpen = false }

  /// Runs a statement, or without arguments a whole script; rows are passed over.
  ///
  /// Savepoints may be used; BEGIN, COMMIT and ROLLBACK belong to `write`.
  ///
  /// - Throws: `SQLiteError`, and `StoreError` for what cannot be replicated.
  public func execute(_ sql: String, _ arguments: (any ValueConvertible)?...) throws {
    if arguments.isEmpty {
      var rest = Connection.script(sql)
      while let statement = try prepareFirst(of: &rest) {
        try run(statement, []) { _ in }
      }
    } else {
      try run(try protected { try connection.cached(sql) }, arguments.map { $0?.value ?? .null }) {
        _ in
      }
    }
  }

  func prepareFirst(of script: inout ArraySlice<UInt8>) throws -> Statement? {
    try protected { try connection.prepareFirst(of: &script) }
  }

  /// All rows of a query, or of a statement with RETURNING.
  public func query(_ sql: String, _ arguments: (any ValueConvertible)?...) throws -> [Row] {
    var rows: [Row] = []
    let statement = try protected { try connection.cached(sql) }
    let names = statement.columnNames
    try run(statement, arguments.map { $0?.value ?? .null }) { statement in
      rows.append(Row(columns: names, values: statement.values))
    }
    return rows
  }

  /// A statement to run many times. It must not be used after the closure has returned.
  public func prepare(_ sql: String) throws -> PreparedStatement {
    PreparedStatement(try protected { try connection.cached(sql) }, database: self)
  }

  /// The rows that the last statement changed.
  public var changes: Int { connection.changes }

  /// Runs a statement to its end and lends each row.
  func run(
    _ statement: Statement, _ parameters: [Value], _ row: (Statement) throws -> Void
  ) throws {
    try statement.bind(parameters)
    try run(statement, row)
  }

  func run(_ statement: Statement, _ row: (Statement) throws -> Void) throws {
    guard isOpen else { throw wasClosed }
    switch statement.kind {
    case .begin, .commit, .rollback:
      throw StoreError(
        .misuse, "\(statement.sql.prefix(40)) inside read or write", path: connection.path,
        remedy: "use SAVEPOINT, and let the closure throw to roll back")
    default: break
    }
    guard writer == nil || connection.isInTransaction else { throw wasRolledBack }
    let mark = writer?.mark ?? 0
    defer { statement.reset() }
    while try step(statement, mark) { try row(statement) }
    if statement.kind != .ordinary {
      try writer?.statementDidRun(statement.kind)
    }
  }

  /// Runs a statement of the kind `ordinary`, and passes its rows over.
  func runOrdinary(_ statement: Statement) throws {
    guard isOpen else { throw wasClosed }
    guard let writer else { return try statement.run() }
    guard connection.isInTransaction else { throw wasRolledBack }
    let mark = writer.mark
    do { try statement.run() } catch {
      writer.statementFailed(since: mark)
      throw error
    }
  }

  /// Follows what was done to the tables on its connection beside it.
  func schemaDidChange() throws { try writer?.statementDidRun(.schema) }

  /// What writes, while it may.
  func openWriter() throws -> WriterConnection {
    guard isOpen else { throw wasClosed }
    guard let writer else {
      throw StoreError(.misuse, "a write inside read", path: connection.path, remedy: "use write")
    }
    guard connection.isInTransaction else { throw wasRolledBack }
    return writer
  }

  private var wasClosed: StoreError {
    StoreError(
      .misuse, "the database was used after its closure had returned", path: connection.path,
      remedy: "call read or write again")
  }

  private var wasRolledBack: StoreError {
    StoreError(
      .misuse, "an earlier statement has rolled the transaction back", path: connection.path,
      remedy: "let the closure throw, and write again")
  }

  private func step(_ statement: Statement, _ mark: Int) throws(SQLiteError) -> Bool {
    do {
      return try statement.step()
    } catch {
      writer?.statementFailed(since: mark)
      throw error
    }
  }

  /// Prepares on behalf of the application, which may not touch the bookkeeping.
  private func protected<Result>(_ prepare: () throws -> Result) rethrows -> Result {
    connection.classifier?.protectsBookkeeping = true
    defer { connection.classifier?.protectsBookkeeping = false }
    return try prepare()
  }
}
