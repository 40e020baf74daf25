package import TributaryCore
internal import TributaryLog
internal import TributarySQLite
internal import TributaryStore
internal import TributarySync

/// The differences between two databases with the same tables.
package struct MomentDifference {
  /// A row that differs.
  package struct Row {
    package enum Operation: String {
      case insert, update, delete
    }

    package let table: String
    package let operation: Operation
    /// The key, in the order of the key's columns.
    package let key: [Value]
    /// All columns of a row that only one database has, otherwise those that differ; `nil` where there is no
    /// row.
    package let columns: [Column]
  }

  /// A column of a row that differs.
  package struct Column {
    package let name: String
    package let before: Value?
    package let after: Value?
  }

  private let connection: Connection
  private let schema: ReplicatedSchema
  private let contentName: String

  /// Prepares the comparison.
  ///
  /// - Parameters: two stores; the tables of the later one are compared.
  package init(from earlier: MomentStore, to later: MomentStore) throws {
    connection = try Connection(path: later.path, mode: .readWrite)
    try connection.execute("PRAGMA query_only = ON")
    let attach = try connection.prepare("ATTACH ? AS earlier")
    try attach.run(.string(earlier.path))
    let selection = try later.hasLogs ? TableSelection(connection) : .all
    schema = try ReplicatedSchema(connection, selection: selection)
    contentName = later.contentName
  }

  /// Passes on the rows by table: first those that the earlier one has, in order of its keys, then new ones.
  ///
  /// - Parameter filter: selects rows, by table and key.
  package func forEachRow(
    _ filter: TransactionFilter = TransactionFilter(), _ body: (Row) throws -> Void
  ) throws {
    for table in schema.tables where table.refusal == nil {
      try forEachRow(of: table) { row in
        if filter.includes(table: table.name, key: row.key, table.shape, in: contentName) {
          try body(row)
        }
      }
    }
  }

  private func forEachRow(of table: TableDescription, _ body: (Row) throws -> Void) throws {
    let shape = table.shape
    let name = table.name.quotedIdentifier
    let nothing = shape.columns.map { "NULL AS \($0.quotedIdentifier)" }.joined(separator: ", ")
    let earlier = try hasTable(table) ? "earlier.\(name)" : "(SELECT \(nothing) WHERE 0)"
    let pairing = shape.keys.map { key in
      let column = shape.columns[key.column].quotedIdentifier
      return "a.\(column) = b.\(column) COLLATE \(key.collation.sqlName)"
    }.joined(separator: " AND ")
    func list(_ alias: String) -> String {
      shape.columns.map { "\(alias).\($0.quotedIdentifier)" }.joined(separator: ", ")
    }
    func order(_ alias: String) -> String {
      shape.keys.map {
        "\(alias).\(shape.columns[$0.column].quotedIdentifier) COLLATE \($0.collation.sqlName)"
      }.joined(separator: ", ")
    }
    // Two statements run in step, since a single one would have too many columns.
    func pairs(_ alias: String) throws -> Statement {
      try connection.prepare(
        """
        SELECT \(list(alias)) FROM \(earlier) AS a LEFT JOIN main.\(name) AS b ON \(pairing)
        ORDER BY \(order("a"))
        """)
    }
    let (old, present) = (try pairs("a"), try pairs("b"))
    while try old.step(), try present.step() {
      let after = present.values
      let isGone = after[shape.keys[0].column] == .null
      if let row = Self.row(table, old.values, isGone ? nil : after) { try body(row) }
    }
    let new = try connection.prepare(
      """
      SELECT \(list("b")) FROM main.\(name) AS b
      WHERE NOT EXISTS (SELECT 1 FROM \(earlier) AS a WHERE \(pairing)) ORDER BY \(order("b"))
      """)
    while try new.step() {
      if let row = Self.row(table, nil, new.values) { try body(row) }
    }
  }

  private func hasTable(_ table: TableDescription) throws -> Bool {
    let statement = try connection.prepare(
      "SELECT 1 FROM earlier.sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE")
    defer { statement.reset() }
    try statement.bind([.string(table.name)])
    return try statement.step()
  }

  private static func row(_ table: TableDescription, _ before: [Value]?, _ after: [Value]?) -> Row?
  {
    guard let present = after ?? before else { return nil }
    let columns = table.shape.columns.enumerated().compactMap { index, name in
      if let before, let after, before[index].hasSameBits(as: after[index]) {
        nil as Column?
      } else {
        Column(name: name, before: before?[index], after: after?[index])
      }
    }
    guard !columns.isEmpty else { return nil }
    return Row(
      table: table.name,
      operation: before == nil ? .insert : after == nil ? .delete : .update,
      key: table.shape.keys.map { present[$0.column] }, columns: columns)
  }
}
