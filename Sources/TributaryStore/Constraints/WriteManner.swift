import CSQLite
import TributaryCore
import TributaryLog
import TributarySQLite

/// How statements of ours write a table that may declare what is done about conflicts
/// (`UNIQUE … ON CONFLICT REPLACE`): such clauses are for the statements of the application.
///
/// An OR clause of a statement takes their place, but also that of the OR clauses in the triggers that
/// the statement fires. Where such triggers fire, the statement has none, and what a row cannot
/// stand beside is looked for before the row is written.
///
/// Source: https://www.sqlite.org/lang_createtrigger.html, https://www.sqlite.org/lang_conflict.html
public struct WriteManner: Sendable {
  /// What stands behind INSERT or UPDATE.
  public var clause: String
  /// `ConstraintSet.checkAlone` must be asked before a row is written.
  public var looksFirst: Bool

  /// - Parameter firesTriggers: whether statements fire triggers of the table.
  public init(_ table: TableDescription, firesTriggers: Bool) {
    looksFirst = table.declaresConflicts && firesTriggers
    clause = table.declaresConflicts && !firesTriggers ? " OR ABORT" : ""
  }

  /// For a connection where only the copies of triggers fire that `ImportTriggers` makes.
  public init(_ table: TableDescription, importingOn connection: Connection) throws {
    self.init(
      table,
      firesTriggers: try table.declaresConflicts && ImportTriggers(connection).fire(on: table.name))
  }
}

extension ConstraintSet {
  /// Checks what SQLite would not refuse where the table declares something else about conflicts:
  /// NOT NULL, and that no other row has a unique key of this one.
  ///
  /// - Throws: `SQLiteError` as SQLite would.
  public func checkAlone(_ row: [Value], table number: Int) throws {
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
        guard try table.identity(query.values, number: number) != own else { continue }
        throw refusal(Self.uniqueViolation, "UNIQUE", "index \(key.name) of table \(table.name)")
      }
    }
  }

  /// What stands for a statement that changed nothing though nothing was in its way.
  public func passedOver(table number: Int) -> SQLiteError {
    refusal(Self.notNullViolation, "NOT NULL", "a computed column of \(schema.tables[number].name)")
  }

  private func refusal(_ code: Int32, _ constraint: String, _ place: String) -> SQLiteError {
    SQLiteError(
      code: code, message: "\(constraint) constraint failed: \(place)", path: connection.path)
  }

  // Macros with shifts in them, which Swift does not import.
  private static let notNullViolation = SQLITE_CONSTRAINT | 5 << 8
  private static let uniqueViolation = SQLITE_CONSTRAINT | 8 << 8
}
