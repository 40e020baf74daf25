internal import TributaryCore
internal import TributarySQLite
internal import TributaryStore
internal import TributarySync
internal import TributaryTesting

/// A program that does not know Tributary and writes to the device's database.
extension SimulatedStore {
  /// Runs a write as such a program does, in one transaction, and makes the store record it; statements that
  /// a constraint stops are skipped.
  ///
  /// - Parameter enforcingForeignKeys: whether the program asks SQLite to enforce them.
  /// - Returns: whether it was committed; a constraint may prevent that too.
  func runAsOther(_ write: RandomWrite, enforcingForeignKeys: Bool) throws -> Bool {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute(
      """
      PRAGMA foreign_keys = \(enforcingForeignKeys ? "ON" : "OFF");
      PRAGMA recursive_triggers = \(copies.isEmpty ? "OFF" : "ON"); BEGIN
      """)
    do {
      for statement in write.statements {
        try run(statement, on: connection)
        guard connection.isInTransaction else { return false }
      }
      try commit(connection)
    } catch let error as SQLiteError where error.isConstraintViolation {
      connection.rollBack()
      return false
    }
    if captures == .triggers {
      try opened().store.recordForeignWrites()
    } else if let failure = try opened().recordForeignWrites().failure {
      throw failure
    }
    return true
  }

  private func run(_ statement: RandomStatement, on connection: Connection) throws {
    do {
      try prepareAndRun(statement, on: connection)
    } catch let error as SQLiteError where error.isRefusalOfWrite {
      // It has changed nothing, or ended the transaction.
    }
  }

  private func prepareAndRun(_ statement: RandomStatement, on connection: Connection) throws {
    let prepared = try connection.prepare(statement.sql)
    try prepared.bind(statement.parameters)
    try prepared.run()
  }

  private func commit(_ connection: Connection) throws { try connection.execute("COMMIT") }
}
