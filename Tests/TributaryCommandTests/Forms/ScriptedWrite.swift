import TributarySQLite
import TributaryTesting

/// A write as any program does it, in one transaction.
struct ScriptedWrite {
  private let write: RandomWrite
  /// Whether a refused statement takes all others back; otherwise, it is left out.
  private let isWhole: Bool

  init(_ write: RandomWrite, isWhole: Bool = false) {
    self.write = write
    self.isWhole = isWhole
  }

  /// Runs it.
  ///
  /// - Returns: whether it was committed.
  @discardableResult
  func run(on connection: Connection) throws -> Bool {
    var isCommitted: Bool
    if isWhole {
      let script = "BEGIN;\n" + FormWriter.script(write) + ";\nCOMMIT"
      isCommitted = try isAccepted { try connection.execute(script) }
    } else {
      try connection.execute("BEGIN")
      for statement in write.statements {
        _ = try isAccepted { try run(statement, on: connection) }
        if !connection.isInTransaction { return false }
      }
      isCommitted = try isAccepted { try connection.execute("COMMIT") }
    }
    if !isCommitted { connection.rollBack() }
    return isCommitted
  }

  private func isAccepted(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch let error as SQLiteError where error.isRefusalOfWrite {
      return false
    }
  }

  private func run(_ statement: RandomStatement, on connection: Connection) throws {
    let prepared = try connection.prepare(statement.sql)
    try prepared.bind(statement.parameters)
    try prepared.run()
  }
}
