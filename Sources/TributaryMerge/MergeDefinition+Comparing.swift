import TributaryCore
import TributarySQLite
import TributaryStore

extension MergeDefinition {
  /// Compares a table of the store, cell by cell, with what it should be. Held rows, and what rows refer to
  /// without showing it, are compared as they are recorded. If the table has a row under the key of a held
  /// row, it is another row, which should not be there.
  ///
  /// - Parameter body: receives the key, the column (`nil` for a whole row), what the store has and
  ///   what it should have; `nil` where there is no row.
  package func forEachDifference(
    _ table: TableDescription, _ body: ([Value], String?, Value?, Value?) throws -> Void
  ) throws {
    guard let number = schema.tableNumber(named: table.name)
    else { return }
    var held = held[number]
    let columns = table.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let order = keyTerms(table).joined(separator: ", ")
    let query = "SELECT \(columns) FROM \(table.name.quotedIdentifier) ORDER BY \(order)"
    let stored = try store.prepare(query)
    let expected = try scratch.prepare(query)
    let masks = masks(number)
    let encoder = RowKeyEncoder(shape: table.shape)
    func bytes(_ row: [Value]) throws -> [UInt8] {
      var buffer = ByteBuffer()
      try encoder.encode(table.key(of: row), into: &buffer)
      return Array(buffer.bytes)
    }
    var conversion: ColumnConversion?
    /// Transactions keep the values of their writers, whose columns may have had other types.
    func converted(_ row: [Value]) throws -> [Value] {
      let made = try conversion ?? ColumnConversion(to: table.affinities)
      conversion = made
      return try made.converted(row)
    }
    // Rows of only one side are kept until both sides have been read: only SQLite knows the order of keys.
    var onlyStored: [[UInt8]: [Value]] = [:]
    var onlyExpected: [[UInt8]: [Value]] = [:]
    func pair(_ shown: [Value], _ wanted: [Value], _ cells: [Conflict.Cell] = []) throws {
      var (present, wanted) = masks.compared(shown, wanted, hiding: cells)
      if !zip(present, wanted).allSatisfy({ $0.hasSameBits(as: $1) }) {
        wanted = try converted(wanted)
      }
      for (column, name) in table.shape.columns.enumerated()
      where !present[column].hasSameBits(as: wanted[column]) {
        try body(table.key(of: shown), name, present[column], wanted[column])
      }
    }
    func addStored(_ row: [Value]) throws {
      guard !table.key(of: row).contains(.null) else {
        // Another program wrote it, so no log can contain it.
        return try body(table.key(of: row), nil, .integer(1), nil)
      }
      let key = try bytes(row)
      if let match = onlyExpected.removeValue(forKey: key) {
        try pair(row, match, hidden[number][key] ?? [])
      } else {
        onlyStored[key] = row
      }
    }
    func addExpected(_ row: [Value]) throws {
      let key = try bytes(row)
      // A record whose row has another key is damaged, and belongs to no row here.
      if let match = held[key], try bytes(match) == key {
        held[key] = nil
        try pair(match, row)
      } else if let match = onlyStored.removeValue(forKey: key) {
        try pair(match, row, hidden[number][key] ?? [])
      } else {
        onlyExpected[key] = row
      }
    }
    var isRead = false
    var isExpectedRead = false
    while !isRead || !isExpectedRead {
      // A statement that is stepped past its end starts over.
      isRead = try isRead || !stored.step()
      if !isRead { try addStored(stored.values) }
      isExpectedRead = try isExpectedRead || !expected.step()
      if !isExpectedRead { try addExpected(expected.values) }
    }
    for row in Self.ordered(onlyStored) + Self.ordered(held) {
      try body(table.key(of: row), nil, .integer(1), nil)
    }
    for row in Self.ordered(self.held[number])
    where try !constraints.isExcluded(row, table: number) {
      // Nothing keeps the row out of its table.
      try body(table.key(of: row), nil, nil, .integer(1))
    }
    for row in Self.ordered(onlyExpected) { try body(table.key(of: row), nil, nil, .integer(1)) }
  }

  private static func ordered(_ rows: [[UInt8]: [Value]]) -> [[Value]] {
    rows.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }

  private func masks(_ table: Int) -> Masks {
    Masks(
      columns: schema.tables[table].shape.columns.map { SQLName($0) },
      shown: constraints.shownWithoutParents(table: table))
  }

  /// What rows of a table show instead of what they refer to.
  private struct Masks {
    var columns: [SQLName]
    /// The shown values, by column.
    var shown: [Int: Value]

    /// Returns a row of the store and its expected state, in the form in which they must be compared. Where
    /// the row shows something in place of what it refers to, what it refers to is compared. Where another
    /// program has written something else, the row is compared as it is.
    func compared(
      _ row: [Value], _ wanted: [Value], hiding cells: [Conflict.Cell]
    ) -> (row: [Value], wanted: [Value]) {
      var (row, wanted) = (row, wanted)
      for cell in cells {
        guard let column = columns.firstIndex(of: SQLName(cell.column)) else { continue }
        if let shown = shown[column], !row[column].hasSameBits(as: shown) {
          wanted[column] = shown
        } else {
          row[column] = cell.value
        }
      }
      return (row, wanted)
    }
  }
}
