import TributaryCore
import TributarySQLite

/// A row whose foreign key refers to a row that does not exist. Programs that leave foreign keys off, as
/// SQLite does by default, leave such rows behind.
package struct DanglingRow: CustomStringConvertible {
  package var table: String
  /// The row identifier; `nil` in a table WITHOUT ROWID.
  package var rowIdentifier: Int64?
  package var parent: String

  package var description: String {
    "\(rowIdentifier.map { "row \($0)" } ?? "a row") of table \(table) refers to a row of \(parent)"
  }

  /// Returns the dangling rows of replicated tables that refer to replicated tables. Other devices know
  /// nothing about the rows of other tables.
  ///
  /// - Parameter limit: the largest number of rows to return.
  /// - Complexity: a lookup for each row that has a reference.
  package static func all(
    in schema: ReplicatedSchema, limit: Int, _ connection: Connection
  ) throws -> [DanglingRow] {
    try all(in: connection, limit: limit) { $0.isReplicated(in: schema) }
  }

  package static func first(
    in schema: ReplicatedSchema, _ connection: Connection
  ) throws -> DanglingRow? {
    try all(in: schema, limit: 1, connection).first
  }

  /// Returns the dangling rows of any tables that `fits` accepts, except for tables whose foreign keys SQLite
  /// cannot check.
  package static func all(
    in connection: Connection, limit: Int = .max, where fits: (DanglingRow) -> Bool
  ) throws -> [DanglingRow] {
    let statement = try connection.prepare(
      """
      SELECT "table", rowid, parent FROM pragma_foreign_key_check(?, 'main')
      WHERE \(Reference.bindsSomebody)
      """)
    var found: [DanglingRow] = []
    for table in try children(in: connection)
    where try found.count < limit && mismatch(of: table, connection) == nil {
      try statement.bind([.string(table)])
      defer { statement.reset() }
      while try found.count < limit && statement.step() {
        let row = DanglingRow(
          table: statement.string(0),
          rowIdentifier: statement.isNull(1) ? nil : statement.integer(1),
          parent: statement.string(2))
        if fits(row) { found.append(row) }
      }
    }
    return found
  }

  /// Returns SQLite's message about a foreign key of a table that refers to columns that are no key; `nil` if
  /// there is none.
  ///
  /// While foreign keys are enforced, SQLite refuses each write to such a table. Programs that leave them off
  /// do not notice.
  static func mismatch(of table: String, _ connection: Connection) throws -> String? {
    do {
      // Compiling the statement is enough.
      _ = try connection.prepare("PRAGMA main.foreign_key_check(\(table.quotedLiteral))")
      return nil
    } catch {
      guard error.message.hasPrefix("foreign key mismatch") else { throw error }
      return error.message
    }
  }

  /// Returns the tables that have foreign keys.
  private static func children(in connection: Connection) throws -> [String] {
    let statement = try connection.prepare(
      """
      SELECT name FROM main.sqlite_schema AS s WHERE type = 'table' AND EXISTS (
        SELECT 1 FROM pragma_foreign_key_list(s.name, 'main')) ORDER BY rowid
      """)
    var names: [String] = []
    while try statement.step() { names.append(statement.string(0)) }
    return names
  }

  package func isReplicated(in schema: ReplicatedSchema) -> Bool {
    schema.table(named: table) != nil && schema.table(named: parent) != nil
  }
}
