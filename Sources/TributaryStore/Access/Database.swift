import CSQLite
import TributaryCore
import TributarySQLite

/// A database inside a `read` or `write`: what a closure works with, and only as long as it runs.
///
/// Every call throws `StoreError.misuse` once the closure has returned.
public final class Database {
  struct Loan {
    let connection: Connection
    /// `nil` for reading.
    let writer: WriterConnection?
  }

  /// `nil` when the closure that it was lent to has returned: one that is kept keeps nothing open.
  private var loan: Loan?
  /// The first of a list of those in use, without a block for it: each leaves it before it goes away.
  private unowned(unsafe) var prepared: PreparedStatement?
  private let path: String
  private var lastChanges = 0

  init(writer: WriterConnection) {
    loan = Loan(connection: writer.connection, writer: writer)
    path = writer.connection.path
  }

  init(reader: Connection) {
    loan = Loan(connection: reader, writer: nil)
    path = reader.path
  }

  /// For those who run inside the closure.
  package var connection: Connection {
    guard let loan else { preconditionFailure("\(wasClosed)") }
    return loan.connection
  }

  private var writer: WriterConnection? { loan?.writer }

  func open() throws -> Loan {
    guard let loan else { throw wasClosed }
    return loan
  }

  /// Ends its use; the closure that it was lent to has returned.
  func close() {
    guard let loan = loan.take() else { return }
    lastChanges = loan.connection.changes
    while let first = prepared {
      prepared = first.next
      if let statement = first.end() { loan.connection.giveBack(statement) }
    }
  }

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
      try lending(sql) { statement in
        try run(statement, arguments.map { $0?.value ?? .null }) { _ in }
      }
    }
  }

  func prepareFirst(of script: inout ArraySlice<UInt8>) throws -> Statement? {
    let connection = try open().connection
    return try protected { try connection.prepareFirst(of: &script) }
  }

  /// All rows of a query, or of a statement with RETURNING.
  public func query(_ sql: String, _ arguments: (any ValueConvertible)?...) throws -> [Row] {
    var rows: [Row] = []
    try lending(sql) { statement in
      // Only the first step knows the columns: it compiles the statement anew after a migration.
      var names: [String]?
      try run(statement, arguments.map { $0?.value ?? .null }) { statement in
        let known = names ?? statement.columnNames
        names = known
        rows.append(Row(columns: known, values: statement.values))
      }
    }
    return rows
  }

  /// A statement to run many times, as long as the closure runs.
  public func prepare(_ sql: String) throws -> PreparedStatement {
    let first = PreparedStatement(try lend(sql), database: self)
    first.next = prepared
    prepared?.previous = first
    prepared = first
    return first
  }

  /// Takes back what nobody holds any more.
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

  private func lending(_ sql: String, _ body: (Statement) throws -> Void) throws {
    let statement = try lend(sql)
    defer { loan?.connection.giveBack(statement) }
    try body(statement)
  }

  /// The rows that the last statement changed; after the closure, its last one.
  public var changes: Int { loan?.connection.changes ?? lastChanges }

  /// Whether no statement has rolled back what it is part of.
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
    let mark = writer?.mark
    defer { statement.reset() }
    while try step(statement, mark) { try row(statement) }
    if statement.kind != .ordinary {
      try writer?.statementDidRun(statement.kind)
    }
  }

  /// Runs a statement of the kind `ordinary`, and passes its rows over.
  func runOrdinary(_ statement: Statement) throws {
    let loan = try open()
    guard let writer = loan.writer else { return try statement.run() }
    guard loan.connection.isInTransaction else { throw wasRolledBack }
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
      // Of a file that cannot be written SQLite says the same.
      if writer == nil, error.isReadOnly, !statement.isReadOnly { throw wasWriteInRead }
      throw error
    }
  }

  /// Prepares on behalf of the application, which may not touch the bookkeeping.
  private func protected<Result>(_ prepare: () throws -> Result) rethrows -> Result {
    let classifier = loan?.connection.classifier
    classifier?.protectsBookkeeping = true
    defer { classifier?.protectsBookkeeping = false }
    return try prepare()
  }
}
