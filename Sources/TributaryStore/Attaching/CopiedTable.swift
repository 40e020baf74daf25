import TributaryCore
import TributarySQLite

/// The rows of a table that is not replicated, which new devices get once. Later changes to the rows stay
/// local.
package struct CopiedTable: Equatable, Sendable {
  package var name: String
  package var columns: [String]
  /// The rows; each is the JSON text of an array of values, parallel to `columns`.
  package var rows: [String]

  package init(name: String, columns: [String], rows: [String]) {
    self.name = name
    self.columns = columns
    self.rows = rows
  }

  /// Reads the current rows of a table.
  init(_ name: String, in connection: Connection) throws {
    self.name = name
    let information = try connection.prepare(
      "SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0")
    try information.bind([.string(name)])
    columns = []
    while try information.step() { columns.append(information.string(0)) }
    rows = []
    let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
    let statement = try connection.prepare("SELECT \(list) FROM main.\(name.quotedIdentifier)")
    var bytes = 0
    // Anything above the limit is refused, so the rest need not be read.
    while try bytes <= Self.byteLimit && statement.step() {
      var json = JSONWriter()
      json.array { json in for value in statement.values { json.value(value) } }
      rows.append(json.text)
      bytes += json.text.utf8.count
    }
  }

  /// The limit for all such tables of a store together, in bytes of JSON.
  static let byteLimit = 64 << 10

  var byteCount: Int { rows.reduce(0) { $0 + $1.utf8.count } }

  /// Inserts the rows into the table, unless it is missing or already has rows.
  ///
  /// - Throws: `StoreError` for text that is not a row; SQLite's error for rows that it refuses.
  package func fill(_ connection: Connection) throws {
    let tables = try SchemaReader(connection: connection).tableNames()
    let table = name.quotedIdentifier
    guard !rows.isEmpty, tables.contains(where: { SQLName($0) == SQLName(name) }),
      try connection.integer("SELECT 1 FROM main.\(table) LIMIT 1") == nil
    else { return }
    let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let insertion = try connection.prepare(
      "INSERT OR ABORT INTO main.\(table) (\(list)) VALUES (\(marks))")
    for row in rows {
      try insertion.bind(values(row, connection.path))
      try insertion.run()
    }
  }

  private func values(_ row: String, _ path: String) throws -> [Value] {
    guard case .array(let items)? = JSONValue(Array(row.utf8)), items.count == columns.count else {
      throw unreadable(path)
    }
    return try items.map { item in
      guard case .value(let value) = item else { throw unreadable(path) }
      return value
    }
  }

  private func unreadable(_ path: String) -> StoreError {
    StoreError(
      .adoption, "the container has invalid rows for table \(name)", path: path,
      remedy: "run `tributary sync` on the device that wrote them, then attach again")
  }
}
