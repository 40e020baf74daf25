import CSQLite
import TributaryCore
import TributarySQLite

/// A database inside a `read` or `write`. A closure works with it, but only while the closure runs.
///
/// Every call throws `StoreError` with the code `misuse` once the closure has returned.
public final class Database {
  struct Loan {
    let connection: Connection
    /// The writer; `nil` for reading.
    let writer: WriterConnection?
    /// Once it is cancelled, no further statement begins.
    let cancellation: Cancellation?
  }

  /// The connection and its lender; `nil` once the closure has returned, so a database that is kept keeps no
  /// file open.
  private var loan: Loan?
  /// The head of the list of statements in use. The list needs no memory of its own, because each statement
  /// leaves it before it is released.
  private unowned(unsafe) var prepared: PreparedStatement?
  private let path: String
  private var lastChanges = 0

  init(writer: WriterConnection, heeding cancellation: Cancellation? = nil) {
    loan = Loan(connection: writer.connection, writer: writer, cancellation: cancellation)
    path = writer.connection.path
  }

  init(reader: Connection, heeding cancellation: Cancellation? = nil) {
    loan = Loan(connection: reader, writer: nil, cancellation: cancellation)
    path = reader.path
  }

  /// The connection, for code of this package that runs inside the closure.
  package var connection: Connection {
    guard let loan else { preconditionFailure("\(wasClosed)") }
    return loan.connection
  }

  private var writer: WriterConnection? { loan?.writer }

  func open() throws -> Loan {
    guard let loan else { throw wasClosed }
    try loan.cancellation?.check()
    return loan
  }

  /// Ends the use of the database when its closure has returned.
  func close() {
    guard let loan = loan.take() else { return }
    lastChanges = loan.connection.changes
    while let first = prepared {
      prepared = first.next
      if let statement = first.end() { loan.connection.giveBack(statement) }
    }
  }

  /// Runs a statement or, without arguments, a whole script, ignoring the rows.
  ///
  /// Savepoints are allowed; BEGIN, COMMIT and ROLLBACK belong to `write`.
  ///
  /// - Throws: `SQLiteError`, and `StoreError` for what cannot be replicated.
  @_disfavoredOverload
  public func execute(_ sql: String, _ arguments: (any ValueConvertible)?...) throws {
    if arguments.isEmpty {
      var rest = Connection.script(sql)
      while let statement = try prepareFirst(of: &rest) {
        try run(statement, []) { _ in }
      }
    } else {
      try execute(sql, Arguments(arguments.map { $0?.value ?? .null }))
    }
  }

  func prepareFirst(of script: inout ArraySlice<UInt8>) throws -> Statement? {
    let connection = try open().connection
    return try protected { try connection.prepareFirst(of: &script) }
  }

  /// Returns all rows of a query, or of a statement with RETURNING.
  @_disfavoredOverload
  public func query(_ sql: String, _ arguments: (any ValueConvertible)?...) throws -> [Row] {
    try query(sql, Arguments(arguments.map { $0?.value ?? .null }))
  }

  /// Returns a statement that can run many times while the closure runs.
  public func prepare(_ sql: String) throws -> PreparedStatement {
    let first = PreparedStatement(try lend(sql), database: self)
    first.next = prepared
    prepared?.previous = first
    prepared = first
    return first
  }

  /// Takes back a statement that is no longer used.
  func takeBack(_ statement: Statement, of holder: PreparedStatement) {
    holder.next?.previous = holder.previous
    if let previous = holder.previous {
      previous.next = holder.next
    } else {
      prepared = holder.next
    }
    loan?.connection.giveBack(statement)
  }

  private func lend(_ sql: String) throws -> Statement {
    let connection = try open().connection
    return try protected { try connection.lend(sql) }
  }

  func lending(_ sql: String, _ body: (Statement) throws -> Void) throws {
    let statement = try lend(sql)
    defer { loan?.connection.giveBack(statement) }
    try body(statement)
  }

  /// The number of rows that the last statement changed; after the closure, that of the last statement in the
  /// closure.
  public var changes: Int { loan?.connection.changes ?? lastChanges }

  /// Whether the transaction is still open, which it is not if a statement has rolled it back.
  package var isInTransaction: Bool { loan?.connection.isInTransaction ?? false }

  /// Runs a statement to its end and lends each row.
  func run(
    _ statement: Statement, _ parameters: [Value], _ row: (Statement) throws -> Void
  ) throws {
    try statement.bind(parameters)
    try run(statement, row)
  }

  func run(_ statement: Statement, _ row: (Statement) throws -> Void) throws {
    let connection = try open().connection
    switch statement.kind {
    case .begin, .commit, .rollback:
      let text = statement.sql.drop(while: \.isWhitespace).prefix(40).prefix { $0 != ";" }
      throw StoreError(
        .transactionControl,
        "\(text) \(statement.kind == .begin ? "inside a transaction" : "without BEGIN before it")",
        path: connection.path, remedy: "use SAVEPOINT, and let the closure throw to roll back")
    default: break
    }
    guard writer == nil || connection.isInTransaction else { throw wasRolledBack }
    if skips(statement) { return }
    let mark = writer?.mark
    let classifier = connection.classifier
    if classifier?.traced != nil { classifier?.traced?.insert(statement.handle) }
    defer {
      // Resetting a traced statement makes SQLite report it now.
      statement.reset()
      if classifier?.traced != nil { classifier?.traced?.remove(statement.handle) }
    }
    let losesColumn = try writer?.willLoseColumn(to: statement) ?? false
    do {
      while try step(statement, mark) { try row(statement) }
    } catch {
      if losesColumn { try writer?.didKeepColumn() }
      throw error
    }
    if statement.kind != .ordinary {
      try writer?.statementDidRun(statement.kind)
    }
  }

  /// Runs a statement of the kind `ordinary`, ignoring its rows.
  func runOrdinary(_ statement: Statement) throws {
    let loan = try open()
    if loan.connection.classifier?.traced != nil { return try run(statement) { _ in } }
    guard let writer = loan.writer else { return try statement.run() }
    guard loan.connection.isInTransaction else { throw wasRolledBack }
    if skips(statement) { return }
    let mark = writer.mark
    do { try statement.run() } catch {
      writer.statementFailed(since: mark)
      throw error
    }
  }

  /// Whether a statement writes rows that another device has written.
  private func skips(_ statement: Statement) -> Bool {
    writer?.transaction.migration?.rows == .skipped && statement.kind == .ordinary
      && !statement.isReadOnly
  }

  /// Takes account of changes to tables that were made directly on the connection.
  func schemaDidChange() throws { try writer?.statementDidRun(.schema) }

  /// Returns the writer, if writing is allowed.
  func openWriter() throws -> WriterConnection {
    let loan = try open()
    guard let writer = loan.writer else {
      throw wasWriteInRead
    }
    guard loan.connection.isInTransaction else { throw wasRolledBack }
    return writer
  }

  private var wasWriteInRead: StoreError {
    StoreError(.misuse, "a write inside read", path: path, remedy: "use write")
  }

  var wasClosed: StoreError {
    StoreError(
      .misuse, "the database was used after its closure had returned", path: path,
      remedy: "call read or write again")
  }

  /// The error of a statement that was kept after its closure returned.
  var statementWasKept: StoreError {
    StoreError(
      .misuse, "the statement was used after its closure had returned", path: path,
      remedy: "prepare it again in the next closure")
  }

  /// The error of a statement that runs again while its rows are being lent.
  var statementIsLending: StoreError {
    StoreError(
      .misuse, "the statement was used while its rows are being read", path: path,
      remedy: "prepare another one of the same text, or use it when `forEach` has returned")
  }

  private var wasRolledBack: StoreError {
    StoreError(
      .misuse, "an earlier statement has rolled the transaction back", path: path,
      remedy: "let the closure throw, and write again")
  }

  private func step(_ statement: Statement, _ mark: WriterConnection.Mark?) throws -> Bool {
    do {
      return try statement.step()
    } catch {
      if let mark { writer?.statementFailed(since: mark) }
      // SQLite reports the same error for a file that cannot be written.
      if writer == nil, error.isReadOnly, !statement.isReadOnly { throw wasWriteInRead }
      throw error
    }
  }

  /// Prepares a statement for the application, which must not touch the bookkeeping.
  private func protected<Result>(_ prepare: () throws -> Result) rethrows -> Result {
    let classifier = loan?.connection.classifier
    classifier?.protectsBookkeeping = true
    defer { classifier?.protectsBookkeeping = false }
    return try prepare()
  }
}
