import TributaryCore
import TributarySQLite

/// What SQLite puts into the columns of a new row that nobody gives.
public enum DefaultRow {
  /// The stored columns, converted as their affinity has it.
  public static func values(of table: TableDescription, _ connection: Connection) throws -> [Value]
  {
    try table.storedColumns.map { position in
      let column = table.columns[position]
      guard let expression = column.defaultExpression else { return .null }
      // A declared type of each affinity's own name; the value takes the way of any other.
      let statement = try connection.prepare(
        "SELECT CAST(\(expression) AS \(column.affinity.castName))")
      let plain = try connection.prepare("SELECT \(expression)")
      guard try statement.step(), try plain.step() else { return .null }
      return column.affinity.converts(plain.value(0)) ? statement.value(0) : plain.value(0)
    }
  }
}

extension Affinity {
  fileprivate var castName: String {
    switch self {
    case .integer: "INTEGER"
    case .text: "TEXT"
    case .blob: "BLOB"
    case .real: "REAL"
    case .numeric: "NUMERIC"
    }
  }

  /// Whether a value changes when it is stored in such a column, without loss.
  fileprivate func converts(_ value: Value) -> Bool {
    switch (self, value) {
    case (.real, .integer), (.text, .integer), (.text, .real): true
    case (.integer, .real(let real)), (.numeric, .real(let real)): Int64(exactly: real) != nil
    default: false
    }
  }
}
