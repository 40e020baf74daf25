import TributaryCore
import TributarySQLite
import TributaryStore

/// A row from the logs that must be put back into its table.
struct RestoredRow {
  var table: TableDescription
  /// The values, by column.
  var values: [Conflict.Cell]

  var key: [Value] {
    table.shape.keys.map { values.value(of: table.shape.columns[$0.column]) ?? .null }
  }

  /// Inserts the row, unless there is a row under its key.
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
