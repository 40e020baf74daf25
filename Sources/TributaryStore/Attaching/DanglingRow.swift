import TributaryCore
import TributarySQLite

/// A row whose foreign key refers to a row that does not exist. Programs that leave foreign keys off, as
/// SQLite does by default, leave such rows.
package struct DanglingRow: CustomStringConvertible {
  package var table: String
  /// The row identifier; `nil` in a table WITHOUT ROWID.
  package var rowIdentifier: Int64?
  package var parent: String

  package var description: String {
    "\(rowIdentifier.map { "row \($0)" } ?? "a row") of table \(table) refers to a row of \(parent)"
  }

  /// Returns those of replicated tables that refer to replicated tables. Other devices know nothing of the
  /// rows of other tables.
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

  /// Returns those of any tables that `fits` accepts.
  package static func all(
    in connection: Connection, limit: Int = .max, where fits: (DanglingRow) -> Bool
  ) throws -> [DanglingRow] {
    let statement = try connection.prepare(
      """
      SELECT "table", rowid, parent FROM pragma_foreign_key_check
      WHERE \(Reference.bindsSomebody)
      """)
    var found: [DanglingRow] = []
    while try found.count < limit && statement.step() {
      let row = DanglingRow(
        table: statement.string(0),
        rowIdentifier: statement.isNull(1) ? nil : statement.integer(1), parent: statement.string(2)
      )
      if fits(row) { found.append(row) }
    }
    return found
  }

  package func isReplicated(in schema: ReplicatedSchema) -> Bool {
    schema.table(named: table) != nil && schema.table(named: parent) != nil
  }
}
