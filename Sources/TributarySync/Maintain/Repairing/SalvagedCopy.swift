import TributaryCore
import TributarySQLite
import TributaryStore

/// A copy of a database that SQLite considers damaged. It contains everything but the rows of the replicated
/// tables, which come back from the logs.
struct SalvagedCopy {
  let source: Connection
  /// The path of the copy, where no file exists yet.
  let path: String

  /// Makes the copy.
  ///
  /// - Throws: `SQLiteError` if the bookkeeping, or a table that is not replicated, cannot be read.
  func make() throws {
    let replicated = Set(
      try ReplicatedSchema(source, selection: TableSelection(source)).tables
        .filter { $0.refusal == nil }.map { SQLName($0.name) })
    let copy = try Connection(path: path, mode: .create)
    defer { copy.close() }
    copy.setTriggers(firing: false)
    try copy.execute("PRAGMA foreign_keys = OFF; PRAGMA journal_mode = MEMORY; BEGIN")
    for statement in try statements() + source.headerNumbers().statements {
      try copy.execute(statement)
    }
    for table in try tables() where !replicated.contains(SQLName(table)) {
      try copyRows(of: table, to: copy)
    }
    try copy.execute("COMMIT")
  }

  private func statements() throws -> [String] {
    // This includes indexes of the bookkeeping. Virtual tables create their own shadow tables.
    let statement = try source.prepare(
      """
      SELECT s.sql FROM sqlite_schema AS s
      LEFT JOIN pragma_table_list AS l ON l.schema = 'main' AND l.name = s.name
      WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        AND ifnull(l.type, '') <> 'shadow'
      ORDER BY s.type = 'trigger', s.rowid
      """)
    var statements: [String] = []
    while try statement.step() { statements.append(statement.string(0)) }
    return statements
  }

  private func tables() throws -> [String] {
    let statement = try source.prepare(
      """
      SELECT name FROM pragma_table_list
      WHERE schema = 'main' AND type IN ('table', 'shadow')
        AND name NOT IN ('sqlite_schema', 'sqlite_stat1', 'sqlite_stat4')
      """)
    var names: [String] = []
    while try statement.step() { names.append(statement.string(0)) }
    return names
  }

  private func copyRows(of table: String, to copy: Connection) throws {
    let columns = try self.columns(of: table).map(\.quotedIdentifier)
    let list = columns.joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let rows = try source.prepare("SELECT \(list) FROM \(table.quotedIdentifier) NOT INDEXED")
    let insertion = try copy.prepare(
      "INSERT OR REPLACE INTO \(table.quotedIdentifier) (\(list)) VALUES (\(marks))")
    while try rows.step() {
      try insertion.bind(rows.values)
      try insertion.run()
    }
  }

  private func columns(of table: String) throws -> [String] {
    let statement = try source.prepare(
      "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid")
    try statement.bind([.string(table)])
    var names: [String] = []
    while try statement.step() { names.append(statement.string(0)) }
    return names
  }
}
