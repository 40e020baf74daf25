import TributaryCore
import TributaryLog
import TributarySQLite

extension ByteBuffer {
  /// Appends the value of a result column, in the log format.
  @inlinable package mutating func append(_ statement: Statement, column: Int) {
    append(statement.value(column))
  }
}

/// Reads whole rows of a table by key.
package struct RowReader {
  package let table: TableDescription
  private let sql: String

  package init(_ table: TableDescription) {
    self.table = table
    // Each name is qualified, because SQLite takes an unknown quoted name for text.
    let columns = table.shape.columns.map { "r.\($0.quotedIdentifier)" }
    let condition = table.keyTerms.map { "r.\($0) = ?" }
    sql = """
      SELECT \(columns.joined(separator: ", ")) FROM main.\(table.name.quotedIdentifier) AS r
      WHERE \(condition.joined(separator: " AND "))
      """
  }

  /// Returns the stored columns of the row, or `nil`.
  package func row(_ key: [Value], in connection: Connection) throws(SQLiteError) -> [Value]? {
    let statement = try connection.cached(sql)
    defer { statement.reset() }
    try statement.bind(key)
    return try statement.step() ? statement.values : nil
  }
}

extension TableShape {
  /// Returns the key of a change as values, in the order of the key.
  package func key(
    _ operation: ChangeOperation, image: UnsafeRawBufferPointer
  ) throws(LogError) -> [Value] {
    var cursor = ImageCursor(image)
    var key: [Value] = []
    if operation == .delete {
      for _ in keys { key.append(try cursor.next().value ?? .null) }
    } else {
      var row: [Value?] = []
      for _ in columns { row.append(try cursor.next().value) }
      key = keys.map { row[$0.column] ?? .null }
    }
    return key
  }
}
