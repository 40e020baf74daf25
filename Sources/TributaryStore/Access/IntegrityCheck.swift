import TributarySQLite

/// SQLite's own check of a database, without what it misreports.
///
/// In tables WITHOUT ROWID whose key does not come first, SQLite 3.40 examines the value of another column. In
/// STRICT tables, it demands the declared type of a generated column, and lets writes leave any value there; after
/// that, it takes values of other columns for NULL.
package struct IntegrityCheck {
  private let connection: Connection

  package init(connection: Connection) { self.connection = connection }

  /// SQLite reports at most this many lines. Its default of 100 includes the misreported values, which could leave
  /// no room for real errors.
  private static let mostLines = 1 << 20

  /// Passes on each line about something that is wrong. If a table takes a collation or a function that only the
  /// application has, the others are checked.
  ///
  /// - Parameter body: returns whether to go on.
  package func forEachError(_ body: (String) throws -> Bool) throws {
    do {
      try run("\(Self.mostLines)", body)
    } catch let error as SQLiteError {
      guard error.isOfStatement else { throw error }
      for table in try columns("true", "l.name").sorted() {
        do {
          try run(table.quotedLiteral, body)
        } catch let error as SQLiteError {
          guard error.isOfStatement else { throw error }
        }
      }
    }
  }

  /// Runs SQLite's check.
  ///
  /// - Parameter argument: how many lines it may report, or the table that it examines.
  private func run(_ argument: String, _ body: (String) throws -> Bool) throws {
    let statement = try connection.prepare("PRAGMA main.integrity_check(\(argument))")
    var misreported: Set<String>?
    var generated: Set<String>?
    while try statement.step() {
      let text = statement.string(0)
      if text == "ok" { continue }
      if let column = Self.column(text) {
        let columns = try misreported ?? misreportedColumns()
        misreported = columns
        if columns.contains(column) { continue }
        let generating = try generated ?? strictColumnsBesideGenerated()
        generated = generating
        if generating.contains(column) { continue }
      }
      guard try body(text) else { return }
    }
  }

  /// Returns the table and the column of a line about a value, as `NULL value in t.c`.
  private static func column(_ text: String) -> String? {
    let parts = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count == 4 && parts[1] == "value" && parts[2] == "in" ? String(parts[3]) : nil
  }

  /// Returns the columns about whose values SQLite's lines may be wrong.
  private func misreportedColumns() throws -> Set<String> {
    guard try misreports() else { return [] }
    return try columns("l.wr")
  }

  /// Returns all columns of STRICT tables that generate some.
  private func strictColumnsBesideGenerated() throws -> Set<String> {
    try columns(
      "l.strict AND EXISTS (SELECT 1 FROM pragma_table_xinfo(l.name) AS g WHERE g.hidden > 1)")
  }

  /// Returns the columns that meet a condition, as lines name them.
  private func columns(
    _ condition: String, _ name: String = "l.name || '.' || c.name"
  ) throws -> Set<String> {
    let statement = try connection.prepare(
      """
      SELECT \(name) FROM pragma_table_list AS l, pragma_table_xinfo(l.name) AS c
      WHERE l.schema = 'main' AND \(condition)
      """)
    var columns: Set<String> = []
    while try statement.step() { columns.insert(statement.string(0)) }
    return columns
  }

  /// Whether this SQLite finds fault with a table that has none.
  private func misreports() throws -> Bool {
    let scratch = try Connection(path: "", mode: .create)
    defer { scratch.close() }
    try scratch.execute(
      """
      CREATE TABLE t (a, b NOT NULL, k PRIMARY KEY) WITHOUT ROWID;
      INSERT INTO t VALUES (NULL, 1, 1)
      """)
    let statement = try scratch.prepare("PRAGMA integrity_check")
    return try statement.step() && statement.string(0) != "ok"
  }
}
