import TributaryCore
import TributarySQLite

/// A row that refers by a foreign key to one that does not exist: programs that leave foreign keys off, as SQLite
/// does by default, leave such rows.
package struct DanglingRow: CustomStringConvertible {
  package var table: String
  /// `nil` in a table WITHOUT ROWID.
  package var rowIdentifier: Int64?
  package var parent: String

  package var description: String {
    "\(rowIdentifier.map { "row \($0)" } ?? "a row") of table \(table) refers to a row of \(parent)"
  }

  /// Those of replicated tables that refer to replicated tables; of the rows of others the other devices
  /// know nothing.
  ///
  /// - Parameter limit: at most this number.
  /// - Complexity: a look at each row that refers to any.
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

  /// Those of any tables that fit.
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
