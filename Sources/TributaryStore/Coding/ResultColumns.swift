import TributarySQLite

/// The columns of one result, which its rows share; they are read when first requested.
final class ResultColumns {
  private var known: RowDecoder.Columns?

  /// Returns the columns.
  ///
  /// - Parameter row: a row of the result. The columns are known only after the first step, which recompiles
  ///   the statement after a migration.
  func of(_ row: Statement) -> RowDecoder.Columns {
    if let known { return known }
    let columns = RowDecoder.Columns(row.columnNames)
    known = columns
    return columns
  }

  /// Returns a row as a value of a type.
  func decode<Decoded: Decodable>(_ type: Decoded.Type, _ row: Statement) throws -> Decoded {
    try RowDecoder.decode(type, of(row), row.values)
  }
}
