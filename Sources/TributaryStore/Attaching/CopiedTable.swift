import TributaryCore
import TributarySQLite

/// The rows of a table that is not replicated, which new devices get once; later changes of them stay where they are.
public struct CopiedTable: Equatable, Sendable {
  public var name: String
  public var columns: [String]
  /// Each as the JSON text of an array of its values, parallel to `columns`.
  public var rows: [String]

  public init(name: String, columns: [String], rows: [String]) {
    self.name = name
    self.columns = columns
    self.rows = rows
  }

  /// Reads the rows that a table has now.
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
    // What is too large is refused, however large it is.
    while try bytes <= Self.byteLimit && statement.step() {
      var json = JSONWriter()
      json.array { json in for value in statement.values { json.value(value) } }
      rows.append(json.text)
      bytes += json.text.utf8.count
    }
  }

  /// What all such tables of a store may have together, as JSON.
  static let byteLimit = 64 << 10

  var byteCount: Int { rows.reduce(0) { $0 + $1.utf8.count } }

  /// Puts the rows into the table, unless it is missing or has rows already.
  ///
  /// - Throws: `StoreError` for rows that are none; what SQLite has against them.
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
      .adoption, "the container has rows for table \(name) that are none", path: path,
      remedy: "have the device that wrote them run `tributary sync`, then attach again")
  }
}
