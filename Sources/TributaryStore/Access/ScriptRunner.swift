import TributaryCore
import TributarySQLite

/// Runs a script of statements with capture.
///
/// Without BEGIN, the whole script is one transaction. With BEGIN, the script itself determines its
/// transactions, and each statement outside them is a transaction of its own. A savepoint outside them begins
/// a transaction that its release commits, as in SQLite.
struct ScriptRunner {
  let writer: WriterConnection
  /// The version on which a script of one transaction is based; `nil` means the current one.
  var version: Version?

  /// Runs the script.
  ///
  /// - Returns: the sequence numbers of the recorded transactions.
  func run(
    _ script: String, parameters: [Value], row: (Statement) throws -> Void
  ) throws -> [SequenceNumber] {
    let bytes = Connection.script(script)
    if SQLScanner(Array(bytes)).statesBegin {
      guard version == nil else {
        throw StoreError(
          .misuse, "a script that is based on a version begins transactions of its own",
          path: writer.connection.path, remedy: "leave BEGIN and COMMIT out")
      }
      return try runInPieces(bytes, parameters, row)
    }
    // A script that writes, or cannot be prepared as a whole, is run below, which also reports the error.
    if let statements = try? readingStatements(bytes) {
      // Nothing is written, so there is no need to wait for the lock.
      let database = Database(reader: writer.connection)
      defer { database.close() }
      for statement in statements { try bindAndRun(statement, parameters, database, row) }
      return []
    }
    try writer.begin()
    let database = Database(writer: writer)
    defer { database.close() }
    do {
      let basis = try version.flatMap(writer.connection.basis)
      var rest = bytes
      while let statement = try database.prepareFirst(of: &rest) {
        try bindAndRun(statement, parameters, database, row)
      }
      try checkSavepoints()
      return try writer.commit(basis: basis).map { [$0] } ?? []
    } catch {
      writer.rollBack()
      throw error
    }
  }

  /// Returns the statements of a script that only reads, or only changes settings of this
  /// connection.
  ///
  /// - Throws: if a statement writes, or cannot be prepared before an earlier one has run.
  private func readingStatements(_ script: ArraySlice<UInt8>) throws -> [Statement] {
    var rest = script
    var statements: [Statement] = []
    while let statement = try writer.connection.prepareFirst(of: &rest) {
      guard statement.isReadOnly, statement.kind == .ordinary else { throw Writes() }
      statements.append(statement)
    }
    return statements
  }

  private struct Writes: Error {}

  private func runInPieces(
    _ script: ArraySlice<UInt8>, _ parameters: [Value], _ row: (Statement) throws -> Void
  ) throws -> [SequenceNumber] {
    var rest = script
    var sequences: [SequenceNumber] = []
    var isOpen = false
    /// Whether a savepoint began the open transaction.
    var isSavepoint = false
    func commit() throws {
      isOpen = false
      isSavepoint = false
      if let sequence = try writer.commit() { sequences.append(sequence) }
    }
    let database = Database(writer: writer)
    let reading = Database(reader: writer.connection)
    defer {
      database.close()
      reading.close()
    }
    do {
      while let statement = try database.prepareFirst(of: &rest) {
        switch statement.kind {
        case .begin where !isOpen:
          try writer.begin()
          isOpen = true
        case .commit where isOpen: try commit()
        case .rollback where isOpen:
          isOpen = false
          isSavepoint = false
          writer.rollBack()
        case _ where isOpen:
          try bindAndRun(statement, parameters, database, row)
          if isSavepoint, writer.transaction.savepoints.isEmpty { try commit() }
        case .savepoint:
          try writer.begin()
          isOpen = true
          isSavepoint = true
          try bindAndRun(statement, parameters, database, row)
        case .ordinary where statement.isReadOnly:
          // There is no need to wait for the lock, and pragmas take effect outside transactions.
          try bindAndRun(statement, parameters, reading, row)
        default:
          try writer.begin()
          try bindAndRun(statement, parameters, database, row)
          try commit()
        }
      }
      if isSavepoint { try checkSavepoints() }
      guard !isOpen else {
        throw StoreError(
          .misuse, "the script begins a transaction and does not end it",
          path: writer.connection.path,
          remedy: "add COMMIT; what followed BEGIN was rolled back")
      }
    } catch {
      writer.rollBack()
      throw error
    }
    return sequences
  }

  /// Checks that no savepoint is open: its changes are not committed until it is released.
  private func checkSavepoints() throws(StoreError) {
    guard let name = writer.transaction.savepoints.first?.name else { return }
    throw StoreError(
      .misuse, "the script opens the savepoint \(name) and does not release it",
      path: writer.connection.path,
      remedy:
        "add RELEASE \(name.text.quotedIdentifier); what was not committed before is rolled back")
  }

  /// Runs a statement with as many of the parameters as it needs, starting with the first.
  private func bindAndRun(
    _ statement: Statement, _ parameters: [Value], _ database: Database,
    _ row: (Statement) throws -> Void
  ) throws {
    let wanted = statement.parameterCount
    guard wanted <= parameters.count else {
      throw StoreError(
        .misuse,
        "\(wanted) parameter\(wanted == 1 ? "" : "s") wanted, \(parameters.count) given",
        path: writer.connection.path, remedy: "give a value for each")
    }
    try database.run(statement, Array(parameters.prefix(wanted)), row)
  }
}
