import TributaryCore
import TributarySQLite

/// Two rows with the same values where a UNIQUE key is to be. They block a migration that adds it.
struct RepeatedRows: CustomStringConvertible {
  private var table: String
  private var rows: [String]
  private var values: String

  /// Finds the rows for an error of SQLite, which names only the columns.
  ///
  /// - Returns: `nil` if the error is about something else, or if there is no such table before the migration.
  /// - Complexity: sorts the values of the table.
  init?(for error: SQLiteError, in connection: Connection) throws {
    let start = "UNIQUE constraint failed: "
    guard error.isUniqueViolation, error.message.hasPrefix(start) else { return nil }
    let names = String(error.message.dropFirst(start.count))
    for table in try ReplicatedSchema(connection, selection: .all).tables {
      let columns = table.columns.map(\.name).filter { names.names($0, of: table.name) }
      // A name may contain the text that separates names.
      guard !columns.isEmpty,
        columns.reduce(-2, { $0 + 2 + table.name.utf8.count + 1 + $1.utf8.count })
          == names.utf8.count
      else { continue }
      let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
      let present = columns.map { "\($0.quotedIdentifier) NOTNULL" }.joined(separator: " AND ")
      let name = "main.\(table.name.quotedIdentifier)"
      let keys = Self.quoted(
        table.shape.keys.map { table.shape.columns[$0.column].quotedIdentifier })
      let statement = try connection.prepare(
        """
        SELECT \(keys), \(Self.quoted(columns.map(\.quotedIdentifier))) FROM \(name) WHERE (\(list)) IN (
          SELECT \(list) FROM \(name) WHERE \(present) GROUP BY \(list) HAVING count(*) > 1
          ORDER BY \(list) LIMIT 1)
        ORDER BY \(table.keyTerms.joined(separator: ", ")) LIMIT 2
        """)
      var rows: [String] = []
      var values = ""
      while try statement.step() {
        rows.append(statement.string(0))
        values = statement.string(1)
      }
      guard rows.count == 2 else { return nil }
      (self.table, self.rows, self.values) = (table.name, rows, values)
      return
    }
    return nil
  }

  var description: String {
    "rows (\(rows[0])) and (\(rows[1])) of table \(table) both have \(values)"
  }

  private static func quoted(_ columns: [String]) -> String {
    columns.map { "quote(\($0))" }.joined(separator: " || ', ' || ")
  }
}

extension String {
  /// Whether a list of names, as SQLite writes it, names a column.
  fileprivate func names(_ column: String, of table: String) -> Bool {
    ", \(self), ".contains(", \(table).\(column), ")
  }
}
