import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// What SQLite would put into the columns of a new row that nobody gives.
enum DefaultRow {
  /// - Returns: the stored columns; those that `cells` gives are NULL here.
  static func values(
    of table: TableDescription, cells: UnsafeMutableBufferPointer<ValueView>,
    _ connection: Connection
  ) throws -> [Value] {
    try table.shape.columns.indices.map { column in
      guard cells[column].kind == .absent else { return .null }
      let statement = try connection.cached(
        "SELECT dflt_value FROM pragma_table_xinfo(?) WHERE name = ?")
      defer { statement.reset() }
      try statement.bind([.string(table.name), .string(table.shape.columns[column])])
      guard try statement.step(), !statement.isNull(0) else { return .null }
      let expression = try connection.prepare("SELECT \(statement.string(0))")
      return try expression.step() ? expression.value(0) : .null
    }
  }
}
