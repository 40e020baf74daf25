import TributaryCore
import TributarySQLite

/// The tables that SQLite writes when a row gets another key: those that refer to it with an active ON
/// UPDATE.
struct UpdateActions {
  /// For each table, the tables whose rows are written when one of its rows is updated.
  private var children: [SQLName: Set<SQLName>] = [:]

  init(_ connection: Connection) throws {
    let statement = try connection.prepare(
      """
      SELECT DISTINCT f."table", t.name FROM main.sqlite_schema AS t, pragma_foreign_key_list(t.name, 'main') AS f
      WHERE t.type = 'table' AND f.on_update IN ('CASCADE', 'SET NULL', 'SET DEFAULT')
      """)
    while try statement.step() {
      children[SQLName(statement.string(0)), default: []].insert(SQLName(statement.string(1)))
    }
  }

  /// Whether an update of a row of a table may write rows of that table, possibly through others.
  func lead(backTo table: String) -> Bool {
    let table = SQLName(table)
    var reached: Set<SQLName> = []
    var open = Array(children[table] ?? [])
    while let next = open.popLast() {
      if next == table { return true }
      if reached.insert(next).inserted { open += children[next] ?? [] }
    }
    return false
  }
}
