import TributaryCore
import TributarySQLite

extension Database {
  /// Returns all rows of a query as values of a type. Each property is read from the column with its name; a
  /// type like `Int` or `String` is read from the only column.
  ///
  ///     struct Album: Codable {
  ///       var id: Int64
  ///       var title: String
  ///       var rating: Int?
  ///     }
  ///     let albums = try db.query(Album.self, "SELECT * FROM album WHERE rating > ?", [3])
  ///
  /// - Throws: as `query(_:_:)`, and `RowCodingError`, which names the column and the type.
  public func query<Decoded: Decodable>(
    _ type: Decoded.Type, _ sql: String, _ arguments: Arguments = []
  ) throws -> [Decoded] {
    var all: [Decoded] = []
    try forEach(type, sql, arguments) { all.append($0) }
    return all
  }

  /// Returns the rows of a query with values by position, as values of a type.
  public func query<Decoded: Decodable>(
    _ type: Decoded.Type, _ sql: String, _ arguments: [Value]
  ) throws -> [Decoded] {
    try query(type, sql, Arguments(arguments))
  }

  /// Returns all rows of a query, with values given one by one, as values of a type.
  @_disfavoredOverload
  public func query<Decoded: Decodable>(
    _ type: Decoded.Type, _ sql: String, _ arguments: (any ValueConvertible)?...
  ) throws -> [Decoded] {
    try query(type, sql, Arguments(arguments.map { $0?.value ?? .null }))
  }

  /// Calls `body` with each row of a query as a value of a type, in order. No row is kept.
  ///
  /// - Throws: as `query`, and what `body` throws.
  public func forEach<Decoded: Decodable>(
    _ type: Decoded.Type, _ sql: String, _ arguments: Arguments = [],
    _ body: (Decoded) throws -> Void
  ) throws {
    let columns = ResultColumns()
    try lending(sql) { statement in
      try arguments.bind(to: statement)
      try run(statement) { try body(columns.decode(type, $0)) }
    }
  }

  /// Calls `body` with each row of a query with values by position, as a value of a type.
  public func forEach<Decoded: Decodable>(
    _ type: Decoded.Type, _ sql: String, _ arguments: [Value], _ body: (Decoded) throws -> Void
  ) throws {
    try forEach(type, sql, Arguments(arguments), body)
  }

  /// Inserts a row with a column for each property.
  ///
  /// `nil` is NULL, except in the primary key: such a column is left out, so that it gets its default or the
  /// next number, which is then the `lastInsertedRowID`.
  ///
  /// - Throws: as `execute`, and `RowCodingError`, which names the column and the type.
  public func insert(_ row: some Encodable, into table: String) throws {
    let encoder = try RowEncoder(row)
    let key = try key(of: table)
    var columns: [String] = []
    var values: [Value] = []
    for (column, value) in zip(encoder.columns, encoder.values) {
      if value == .null, key.contains(SQLName(column)) { continue }
      columns.append(column.quotedIdentifier)
      values.append(value)
    }
    let name = table.quotedIdentifier
    if columns.isEmpty { return try execute("INSERT INTO main.\(name) DEFAULT VALUES", []) }
    let places = Array(repeating: "?", count: columns.count).joined(separator: ", ")
    try execute(
      "INSERT INTO main.\(name) (\(columns.joined(separator: ", "))) VALUES (\(places))", values)
  }

  /// Updates the row with the same primary key, in all columns for which there is a property.
  ///
  /// - Returns: whether there is such a row.
  /// - Throws: as `execute`; `RowCodingError` also if the table has no primary key, or if the value has no
  ///   property for it or only `nil`.
  @discardableResult
  public func update(_ row: some Encodable, in table: String) throws -> Bool {
    let encoder = try RowEncoder(row)
    let key = try key(of: table)
    // If there is no such table, SQLite reports that.
    if key.isEmpty { _ = try query("SELECT 1 FROM main.\(table.quotedIdentifier) LIMIT 0", []) }
    var settings: [(sql: String, value: Value)] = []
    var conditions: [(sql: String, value: Value)] = []
    for (column, value) in zip(encoder.columns, encoder.values) {
      let part = ("\(column.quotedIdentifier) = ?", value)
      if key.contains(SQLName(column)) { conditions.append(part) } else { settings.append(part) }
    }
    guard !key.isEmpty, conditions.count == key.count, conditions.allSatisfy({ $0.value != .null })
    else {
      let type = Swift.type(of: row)
      throw RowCodingError(
        .missingKey,
        key.isEmpty
          ? "the table \(table) has no primary key"
          : "the \(type) does not say which row of \(table) it is: the key is "
            + key.map(\.text).joined(separator: ", "), column: key.first?.text, type: type,
        remedy: "update it by a statement, or give the value of its key")
    }
    let filter = conditions.map(\.sql).joined(separator: " AND ")
    let name = table.quotedIdentifier
    if settings.isEmpty {
      return try !query("SELECT 1 FROM main.\(name) WHERE \(filter)", conditions.map(\.value))
        .isEmpty
    }
    try execute(
      "UPDATE main.\(name) SET \(settings.map(\.sql).joined(separator: ", ")) WHERE \(filter)",
      (settings + conditions).map(\.value))
    return changes > 0
  }

  /// Returns the columns of the primary key of a table.
  private func key(of table: String) throws -> [SQLName] {
    let statement = try open().connection.cached(
      "SELECT name FROM pragma_table_info(?, 'main') WHERE pk > 0 ORDER BY pk")
    defer { statement.reset() }
    try statement.bind([.string(table)])
    var names: [SQLName] = []
    while try statement.step() { names.append(SQLName(statement.string(0))) }
    return names
  }
}

extension Row {
  /// Returns the row as a value of a type: each property is read from the column with its name.
  ///
  /// - Throws: `RowCodingError`, which names the column and the type.
  public func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
    try RowDecoder.decode(type, RowDecoder.Columns(columns), values)
  }

  /// Returns the value of a column as a type that can be read back; `nil` if there is no such column, or it contains
  /// something else.
  public func value<Read: ValueReadable>(_ name: String, as type: Read.Type = Read.self) -> Read? {
    self[name].flatMap { Read(value: $0) }
  }
}

extension BorrowedRow {
  /// Returns the value of a column as a type that can be read back; `nil` if it contains something else.
  public func value<Read: ValueReadable>(at index: Int, as type: Read.Type = Read.self) -> Read? {
    Read(value: self[index])
  }
}
