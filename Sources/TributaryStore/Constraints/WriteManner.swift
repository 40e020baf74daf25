import CSQLite
import TributaryCore
import TributaryLog
import TributarySQLite

/// How this library's statements write a table that may declare conflict clauses
/// (`UNIQUE … ON CONFLICT REPLACE`). Such clauses are meant for the statements of the application.
///
/// An OR clause of a statement overrides them, but also overrides the OR clauses in the triggers that the
/// statement fires. If such triggers fire, the statement has no OR clause, and the library looks for
/// conflicting rows before it writes the row.
///
/// Source: https://www.sqlite.org/lang_createtrigger.html, https://www.sqlite.org/lang_conflict.html
package struct WriteManner: Sendable {
  /// The clause after INSERT or UPDATE.
  package var clause: String
  /// Whether `ConstraintSet.checkAlone` must be called before a row is written.
  package var looksFirst: Bool

  /// Chooses the manner for a table.
  ///
  /// - Parameter firesTriggers: whether statements fire triggers of the table.
  package init(_ table: TableDescription, firesTriggers: Bool) {
    looksFirst = table.declaresConflicts && firesTriggers
    clause = table.declaresConflicts && !firesTriggers ? " OR ABORT" : ""
  }

  /// Chooses the manner for a connection on which only the trigger copies of `ImportTriggers` fire.
  package init(_ table: TableDescription, importingOn connection: Connection) throws {
    self.init(
      table,
      firesTriggers: try table.declaresConflicts && ImportTriggers(connection).fire(on: table.name))
  }
}

extension ConstraintSet {
  /// Checks what SQLite would not refuse if the table declares other conflict clauses: NOT NULL constraints,
  /// and that no other row has a unique key of this one.
  ///
  /// - Throws: `SQLiteError` as SQLite would.
  package func checkAlone(_ row: [Value], table number: Int) throws {
    let table = schema.tables[number]
    for (column, position) in table.storedColumns.enumerated()
    where table.columns[position].isNotNull && row[column] == .null {
      throw refusal(
        Self.notNullViolation, "NOT NULL", "\(table.name).\(table.shape.columns[column])")
    }
    let own = try table.identity(row, number: number)
    for key in uniqueKeys[number] {
      guard let claim = try probe.claim(key, of: row, table: number) else { continue }
      let query = try connection.cached(key.query(table))
      defer { query.reset() }
      try query.bind(claim.values)
      while try query.step() {
        let row = query.values
        if table.hasKey(row), try table.identity(row, number: number) == own { continue }
        throw refusal(Self.uniqueViolation, "UNIQUE", "index \(key.name) of table \(table.name)")
      }
    }
  }

  /// Returns the error for a statement that changed nothing although nothing blocked it.
  package func passedOver(table number: Int) -> SQLiteError {
    refusal(Self.notNullViolation, "NOT NULL", "a computed column of \(schema.tables[number].name)")
  }

  private func refusal(_ code: Int32, _ constraint: String, _ place: String) -> SQLiteError {
    SQLiteError(
      code: code, message: "\(constraint) constraint failed: \(place)", path: connection.path)
  }

  // These are macros with shifts, which Swift does not import.
  private static let notNullViolation = SQLITE_CONSTRAINT | 5 << 8
  private static let uniqueViolation = SQLITE_CONSTRAINT | 8 << 8
}
