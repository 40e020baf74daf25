import TributaryContainer
import TributaryCore
import TributaryInspection
import TributaryLog

/// Prints transactions as an SQL script.
///
/// Within a transaction, the deletes come first, unless the transaction is too large to hold: inserts may
/// need a UNIQUE value that a delete frees.
struct ScriptPrinter {
  private let names: [PeerIdentity: String]
  private let declarations: [PeerIdentity: MergeDeclarations]
  private let schema: SchemaScript?
  private let output: Output

  /// - Parameter schema: the schema that the script makes, whose names it then uses. Otherwise it uses the
  ///   names in the logs.
  init(
    names: [PeerIdentity: String], declarations: [PeerIdentity: MergeDeclarations],
    schema: SchemaScript?, to output: Output
  ) {
    self.schema = schema
    self.names = names
    self.declarations = declarations
    self.output = output
  }

  func begin() throws(OutputError) {
    try output.write("PRAGMA foreign_keys=OFF;\n")
    if let schema { try print(schema.tables) }
  }

  func end() throws(OutputError) {
    if let schema { try print(schema.rest) }
  }

  private func print(_ statements: [String]) throws(OutputError) {
    guard !statements.isEmpty else { return }
    // A comment at the end of a statement must not swallow the semicolon.
    let lines = statements.map { $0 + ($0.contains("--") ? "\n;\n" : ";\n") }
    try output.write("BEGIN;\n" + lines.joined() + "COMMIT;\n")
  }

  /// Prints a transaction.
  ///
  /// - Throws: what reading the transaction throws; what was printed of it is rolled back.
  func print(_ transaction: LogTransaction) throws {
    let statement = ChangeStatement(declarations[transaction.peer])
    var held = HeldOutput(output)
    var deletes: [UInt8] = []
    var others: [UInt8] = []
    var hasBegun = false
    func release() {
      if !hasBegun, !deletes.isEmpty || !others.isEmpty {
        hasBegun = true
        held.bytes += head(of: transaction).utf8
      }
      held.bytes += deletes
      held.bytes += others
      deletes.removeAll(keepingCapacity: true)
      others.removeAll(keepingCapacity: true)
    }
    var tables: [TableShape: StatementTable?] = [:]
    func table(_ shape: TableShape) -> StatementTable? {
      guard let schema else { return StatementTable(shape) }
      if let known = tables[shape] { return known }
      let table = schema.table(shape)
      tables[shape] = .some(table)
      return table
    }
    do {
      while let (change, shape) = try transaction.nextChange() {
        guard let table = table(shape) else { continue }
        if change.operation == .delete {
          try statement.append(change, table, to: &deletes)
        } else {
          try statement.append(change, table, to: &others)
        }
        if deletes.count + others.count >= HeldOutput.limit {
          release()
          try held.releaseLarge()
        }
      }
    } catch let error as OutputError {
      throw error
    } catch {
      try held.abandon("ROLLBACK;\n")
      throw error
    }
    release()
    if hasBegun {
      held.bytes += "COMMIT;\n".utf8
      try held.release()
    }
  }

  private func head(of transaction: LogTransaction) -> String {
    // The name is escaped, so it cannot end the comment.
    "-- \(output.plainHeading(of: transaction, name: names[transaction.peer]))\nBEGIN;\n"
  }
}
