import TributaryCore
import TributaryLog
import TributarySQLite

/// A table's name and the statement that makes it, as the database has them.
struct TableDefinition {
  /// The name, with replacement characters for anything that is not UTF-8.
  var name: String
  var sql: String
  /// Whether the name is UTF-8; if it is not, no statement of this library can name the table.
  var hasName: Bool
  var isStrict: Bool
  var isWithoutRowIdentifier: Bool
  /// Why the table cannot be replicated, if the reason is its spelling.
  var refusal: Refusal?

  /// Reads it from a row with both, and with the columns `strict` and `wr` of `pragma_table_list`.
  init(_ row: Statement) {
    name = row.string(0)
    sql = row.string(1)
    isStrict = row.integer(2) == 1
    isWithoutRowIdentifier = row.integer(3) == 1
    hasName = Self.isText(row, 0)
    if !hasName || !Self.isText(row, 1) {
      // SQLite takes an unknown quoted name for text, so a column could be read as its own name.
      refusal = Refusal(
        "table \(name) is declared by a statement that is not UTF-8",
        remedy: "make it again with names and values in UTF-8, or leave the table out with --except"
      )
    }
  }

  private static func isText(_ row: Statement, _ column: Int) -> Bool {
    String(validating: row.bytes(column), as: UTF8.self) != nil
  }

  /// Returns the refusal of a table whose name logs cannot contain.
  static func refusal(of table: String, columns: [String]) -> Refusal? {
    let most = LogFormat.maximumNameByteCount
    guard let name = ([table] + columns).first(where: { $0.utf8.count > most }) else { return nil }
    let place = name == table ? "" : " in its column \(name.prefix(20))…"
    return Refusal(
      "table \(table.count > 40 ? table.prefix(40) + "…" : table) has a name of \(name.utf8.count) bytes\(place), and "
        + "\(most) are the most",
      remedy: "give it a shorter name, or leave the table out with --except")
  }
}
