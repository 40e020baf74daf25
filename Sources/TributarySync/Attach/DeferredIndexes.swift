import TributaryCore
import TributarySQLite
import TributaryStore

/// Removes secondary indexes while many rows are written, and creates them again afterwards.
struct DeferredIndexes {
  private var statements: [String] = []

  /// Unique indexes stay: they check what is written.
  init(droppingFrom connection: Connection) throws {
    let query = try connection.prepare(
      """
      SELECT s.name, s.sql, s.tbl_name FROM sqlite_schema AS s, pragma_index_list(s.tbl_name) AS l
      WHERE s.type = 'index' AND s.sql IS NOT NULL AND l.name = s.name AND NOT l."unique"
        AND s.tbl_name NOT LIKE 'tributary\\_%' ESCAPE '\\'
      """)
    var names: [String] = []
    let selection = try TableSelection(connection)
    // In a table that is left out, nothing is written, and perhaps only its program can create the index
    // again.
    while try query.step() {
      guard selection.includes(query.string(2)) else { continue }
      names.append(query.string(0))
      statements.append(query.string(1))
    }
    for name in names { try connection.execute("DROP INDEX \(name.quotedIdentifier)") }
  }

  func restore(in connection: Connection) throws {
    // A large cache makes this slower, not faster.
    try connection.execute("PRAGMA cache_size = -2000")
    for statement in statements { try connection.execute(statement) }
  }
}
