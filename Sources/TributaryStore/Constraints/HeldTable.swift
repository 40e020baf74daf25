import TributaryCore
import TributaryLog
import TributarySQLite

/// The rows that their tables do not show as they really are: held rows, and rows with columns that show NULL
/// or a default.
package struct HeldTable {
  private let connection: Connection
  private let schema: ReplicatedSchema

  package init(_ connection: Connection, schema: ReplicatedSchema) {
    self.connection = connection
    self.schema = schema
  }

  struct Entry {
    var identity: RowIdentity
    var isHeld: Bool
    /// The values by column: all values of a held row; for other rows, those that are not shown.
    var cells: [Conflict.Cell]
  }

  /// Whether there are no entries.
  package static func isEmpty(_ connection: Connection) throws -> Bool {
    try connection.integer("SELECT 1 FROM tributary_held LIMIT 1") == nil
  }

  /// Whether a table has entries.
  static func isThere(of table: String, _ connection: Connection) throws -> Bool {
    let statement = try connection.cached(
      "SELECT 1 FROM tributary_held WHERE \"table\" = ? LIMIT 1")
    defer { statement.reset() }
    try statement.bind([.string(table)])
    return try statement.step()
  }

  /// Checks that each entry can be read.
  ///
  /// - Throws: `StoreError` with the code `damaged`.
  package func check() throws { _ = try entries(of: Set(schema.tables.indices)) }

  /// Returns, by key, what visible rows of a table refer to, for the columns in which they show other values.
  package func hiddenCells(of table: Int) throws -> [[UInt8]: [Conflict.Cell]] {
    Dictionary(
      uniqueKeysWithValues: try entries(of: [table]).filter { !$0.isHeld }.map {
        ($0.identity.key, $0.cells)
      })
  }

  /// Returns the entries of the given tables.
  func entries(of tables: Set<Int>) throws -> [Entry] {
    let statement = try connection.cached(
      "SELECT key, held, cells FROM tributary_held WHERE \"table\" = ?")
    defer { statement.reset() }
    var entries: [Entry] = []
    for table in tables.sorted() {
      statement.reset()
      try statement.bind(.string(schema.tables[table].name), at: 1)
      while try statement.step() { entries.append(try entry(statement, table)) }
    }
    return entries
  }

  /// Returns the entry of a row; `nil` if its table shows it as it really is.
  func entry(_ identity: RowIdentity) throws -> Entry? {
    let statement = try connection.cached(
      "SELECT key, held, cells FROM tributary_held WHERE \"table\" = ? AND key = ?")
    defer { statement.reset() }
    try statement.bind([.string(schema.tables[identity.table].name), .blob(identity.key)])
    return try statement.step() ? try entry(statement, identity.table) : nil
  }

  private func entry(_ statement: Statement, _ table: Int) throws -> Entry {
    do {
      try checkKey(statement.bytes(0), of: schema.tables[table])
      return Entry(
        identity: RowIdentity(table: table, key: Array(statement.bytes(0))),
        isHeld: statement.integer(1) != 0, cells: try Conflict.Cell.decoded(statement.bytes(2)))
    } catch {
      throw StoreError.damaged(
        "a held row of table \(schema.tables[table].name) cannot be read", path: connection.path)
    }
  }

  private func checkKey(
    _ key: UnsafeRawBufferPointer, of table: TableDescription
  ) throws(LogError) {
    var cursor = ImageCursor(key)
    for _ in table.shape.keys { _ = try cursor.next() }
    guard cursor.isAtEnd else { throw LogError(.malformed, "a key of too many parts") }
  }

  /// Returns the complete held rows of a table, by key.
  package func heldRows(of table: Int) throws -> [[UInt8]: [Value]] {
    var rows: [[UInt8]: [Value]] = [:]
    for entry in try entries(of: [table]) where entry.isHeld {
      rows[entry.identity.key] = try row(entry)
    }
    return rows
  }

  /// Returns a held row; columns that were added after it was held have their defaults.
  func row(_ entry: Entry) throws -> [Value] {
    let table = schema.tables[entry.identity.table]
    let known = Dictionary(
      entry.cells.map { (SQLName($0.column), $0.value) }, uniquingKeysWith: { $1 })
    var defaults: [Value]?
    return try table.shape.columns.enumerated().map { position, name in
      if let value = known[SQLName(name)] { return value }
      let row = try defaults ?? DefaultRow.values(of: table, connection)
      defaults = row
      return row[position]
    }
  }

  func put(_ entry: Entry) throws {
    try connection.cached(
      "INSERT OR REPLACE INTO tributary_held (\"table\", key, held, cells) VALUES (?, ?, ?, ?)"
    ).run(
      .string(schema.tables[entry.identity.table].name), .blob(entry.identity.key),
      .integer(entry.isHeld ? 1 : 0), .blob(Conflict.Cell.encoded(entry.cells)))
  }

  package func remove(_ identity: RowIdentity) throws {
    try connection.cached("DELETE FROM tributary_held WHERE \"table\" = ? AND key = ?")
      .run(.string(schema.tables[identity.table].name), .blob(identity.key))
  }
}
