internal import TributaryCore
package import TributarySQLite

/// The rows of the tables of a `FormSchema`, exact to the bit.
package struct FormContents {
  private let schema: FormSchema
  /// By the number of the table.
  private(set) var rows: [[ReferenceKey: [Value]]]

  /// Reads the rows.
  package init(_ connection: Connection, _ schema: FormSchema) throws {
    self.schema = schema
    rows = Array(repeating: [:], count: schema.tables.count)
    for (number, table) in schema.tables.enumerated() {
      let statement = try connection.prepare(table.query)
      while try statement.step() {
        let row = statement.values
        let key = table.canonical(table.key(of: row))
        try demand(
          rows[number].updateValue(row, forKey: key) == nil, "two rows of \(table.name) are \(key)")
      }
    }
  }

  /// Reads the rows of a database, attached or not.
  package init(of path: String, _ schema: FormSchema) throws {
    let connection = try Connection(path: path, mode: .readOnly)
    defer { connection.close() }
    try self.init(connection, schema)
  }

  package var rowCount: Int { rows.reduce(0) { $0 + $1.count } }
  package var valueCount: Int { rows.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } } }

  /// Returns the rows of a table in an order that is the same in every run.
  func sorted(_ table: Int) -> [[Value]] { rows[table].sorted { $0.key < $1.key }.map(\.value) }

  /// Returns the differences, one line for each row.
  ///
  /// - Parameters:
  ///   - keepsTime: whether to compare columns whose default is the time.
  ///   - keepsGenerated: whether to compare generated columns.
  package func difference(
    from other: FormContents, keepingTime keepsTime: Bool = true,
    generated keepsGenerated: Bool = true
  ) -> [String] {
    schema.tables.enumerated().flatMap { number, table -> [String] in
      func told(_ row: [Value]?) -> String {
        guard let row else { return "no row" }
        let full = keepsTime ? row : table.timeless(row)
        return (keepsGenerated ? full : Array(full.prefix(table.stored.count))).map(\.exact)
          .joined(separator: ", ")
      }
      return Set(rows[number].keys).union(other.rows[number].keys).sorted().compactMap { key in
        let (mine, theirs) = (told(rows[number][key]), told(other.rows[number][key]))
        return mine == theirs
          ? nil : "\(table.name) \(key): \(mine.prefix(2000)), expected \(theirs.prefix(2000))"
      }
    }
  }

  /// Applies a record, which must name each row once, and change it.
  package mutating func apply(_ changes: [ReferenceChange]) throws {
    var seen = schema.tables.map { _ in Set<ReferenceKey>() }
    for change in changes {
      guard let number = schema[change.table] else {
        throw HarnessFailure("no table \(change.table)")
      }
      let table = schema.tables[number]
      let key = table.canonical(change.key)
      try demand(seen[number].insert(key).inserted, "recorded twice: \(change)")
      let before = rows[number][key]
      try demand(
        (before == nil) == (change.operation == .insert),
        "\(change), where there was \(before as Any)")
      let values = Dictionary(
        change.values.map { (Array($0.key.utf8), $0.value) }, uniquingKeysWith: { $1 })
      switch change.operation {
      case .delete: rows[number][key] = nil
      case .insert, .replace:
        let names = table.stored
        let row = try names.map { name in
          guard let value = values[Array(name.utf8)] else {
            throw HarnessFailure("\(change) lacks \(name)")
          }
          return value
        }
        try demand(values.count == names.count, "\(change) has more columns")
        rows[number][key] = row
      case .update:
        var row = before!
        try demand(!values.isEmpty, "\(change) says nothing")
        for (name, value) in values {
          guard let place = table.stored.firstIndex(where: { Array($0.utf8) == name }) else {
            throw HarnessFailure("\(change) has a column that \(table.name) lacks")
          }
          row[place] = value
        }
        rows[number][key] = row
      }
    }
  }
}

extension Value {
  /// The value as SQL, for comparison: different bits are different text.
  fileprivate var exact: String {
    if case .real(let real) = self { return "real \(String(real.bitPattern, radix: 16)) \(real)" }
    return literal
  }
}
