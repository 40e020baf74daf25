import TributaryCore
import TributarySQLite
import TributaryStore

extension TableDescription {
  /// Returns the values of a row with the names of their columns, without those that are not given.
  func cells(_ row: [Value?]) -> [Conflict.Cell] {
    zip(shape.columns, row).compactMap { name, value in
      value.map { Conflict.Cell(column: name, value: $0) }
    }
  }
}

extension [Conflict.Cell] {
  /// Returns the value of a column.
  func value(of column: String) -> Value? {
    first { SQLName($0.column) == SQLName(column) }?.value
  }
}

/// A row from the logs that must be put back into its table.
struct RestoredRow {
  var table: TableDescription
  /// The values, by column.
  var values: [Conflict.Cell]

  var key: [Value] {
    table.shape.keys.map { values.value(of: table.shape.columns[$0.column]) ?? .null }
  }

  /// Inserts it, unless there is a row under its key.
  func insert(into database: Database) throws {
    guard try RowReader(table).row(key, in: database.connection) == nil else { return }
    let cells = table.shape.columns.compactMap { column in
      values.value(of: column).map { (column.quotedIdentifier, $0) }
    }
    let manner = WriteManner(table, firesTriggers: true)
    if manner.looksFirst {
      let defaults = try DefaultRow.values(of: table, database.connection)
      try database.checkAlone(table.row(defaults, with: values), in: table)
    }
    let marks = cells.map { _ in "?" }.joined(separator: ", ")
    let statement = try database.prepare(
      """
      INSERT INTO main.\(table.name.quotedIdentifier) (\(cells.map(\.0).joined(separator: ", ")))
      VALUES (\(marks))
      """)
    for (index, cell) in cells.enumerated() { try statement.bind(cell.1, at: index + 1) }
    try statement.run()
  }
}
