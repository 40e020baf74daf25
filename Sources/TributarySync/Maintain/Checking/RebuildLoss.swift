import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// The rows of a store that its rebuilt contents neither show nor hold: no log contains them in this form.
struct RebuildLoss {
  /// The store as it was.
  let original: Connection
  /// The store, rebuilt from the logs.
  let rebuilt: Connection
  let copy: SetAsideCopy

  /// Writes the rows into a plain database, which has the tables without their constraints.
  ///
  /// - Returns: `nil` if there are none. No file exists then.
  /// - Complexity: O(rows)
  func setAside() throws -> RebuildReport.SetAside? {
    do {
      let count = try copyRows()
      return count == 0 ? nil : RebuildReport.SetAside(path: copy.path, rows: count)
    } catch let error as SQLiteError where error.isDamage && error.path == original.path {
      // It is unknown what is behind the damage. SQLite's shell can still search for it, page by page.
      copy.remove()
      let pages = try Connection(path: copy.path, mode: .create)
      defer { pages.close() }
      try pages.replaceContents(with: original)
      return RebuildReport.SetAside(path: copy.path, rows: nil)
    }
  }

  private func copyRows() throws -> Int {
    let schema = try ReplicatedSchema(rebuilt, selection: TableSelection(rebuilt))
    var file: Connection?
    defer { file?.close() }
    var count = 0
    for (number, table) in schema.tables.enumerated() where table.refusal == nil {
      var insertion: Statement?
      try forEachLackingRow(of: table, number, schema) { row in
        let target = try file ?? makeFile()
        file = target
        let insert = try insertion ?? makeTable(table, in: target)
        insertion = insert
        try insert.bind(row)
        try insert.run()
        count += 1
      }
    }
    try file?.execute("COMMIT")
    return count
  }

  private func forEachLackingRow(
    of table: TableDescription, _ number: Int, _ schema: ReplicatedSchema,
    _ body: ([Value]) throws -> Void
  ) throws {
    let reader = RowReader(table)
    let held = try HeldTable(rebuilt, schema: schema).heldRows(of: number)
    func isThere(_ row: [Value]) throws -> Bool {
      let key = table.key(of: row)
      if let shown = try reader.row(key, in: rebuilt), shown.hasSameBits(as: row) { return true }
      guard !key.contains(.null) else { return false }
      let identity = try table.identity(row, number: number)
      return held[identity.key].map { $0.hasSameBits(as: row) } ?? false
    }
    let columns = table.shape.columns.map { "r.\($0.quotedIdentifier)" }.joined(separator: ", ")
    let rows = try original.prepare(
      "SELECT \(columns) FROM main.\(table.name.quotedIdentifier) AS r NOT INDEXED")
    while try rows.step() {
      let row = rows.values
      if try !isThere(row) { try body(row) }
    }
    // Bookkeeping that cannot be read does not count here: what it held is in the logs. Damaged bookkeeping
    // names no held rows. Those that the logs contain have come back.
    let before = (try? HeldTable(original, schema: schema).heldRows(of: number)) ?? [:]
    for row in before.values where try !isThere(row) { try body(row) }
  }

  private func makeFile() throws -> Connection {
    let file = try Connection(path: copy.path, mode: .create)
    try file.execute("BEGIN")
    return file
  }

  /// Creates a table without types, in which each value stays unchanged.
  private func makeTable(_ table: TableDescription, in file: Connection) throws -> Statement {
    let columns = table.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = table.shape.columns.map { _ in "?" }.joined(separator: ", ")
    try file.execute("CREATE TABLE \(table.name.quotedIdentifier) (\(columns))")
    return try file.prepare(
      "INSERT INTO \(table.name.quotedIdentifier) (\(columns)) VALUES (\(marks))")
  }
}

extension [Value] {
  fileprivate func hasSameBits(as other: [Value]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.hasSameBits(as: $1) }
  }
}
