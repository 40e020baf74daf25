import TributaryCore
import TributaryStore

extension TableDescription {
  /// Returns the given values of a row, with the names of their columns.
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
