import TributaryCore
import TributarySQLite

/// The values that SQLite gives to unspecified columns of a new row.
package enum DefaultRow {
  /// Returns the values of the stored columns, converted according to their affinity.
  ///
  /// - Parameter isMissing: whether the row lacks the columns because its log is older than they are, rather
  ///   than because the statement leaves them out; then some columns get their substitute.
  package static func values(
    of table: TableDescription, _ connection: Connection, isMissing: Bool = true
  ) throws -> [Value] {
    try table.storedColumns.map { position in
      let column = table.columns[position]
      if isMissing, let substitute = column.substitute { return substitute.value }
      guard let expression = column.defaultExpression else { return .null }
      // For each affinity there is a declared type that has it; the value is converted like any other.
      let statement = try connection.prepare(
        "SELECT \(expression), CAST(\(expression) AS \(column.affinity.declaredType))")
      guard try statement.step() else { return .null }
      return statement.value(column.affinity.converts(statement.value(0)) ? 1 : 0)
    }
  }
}

extension Affinity {
  /// A type that declares this affinity.
  var declaredType: String {
    switch self {
    case .integer: "INTEGER"
    case .text: "TEXT"
    case .blob: "BLOB"
    case .real: "REAL"
    case .numeric: "NUMERIC"
    }
  }

  /// Whether a value changes, without loss, when it is stored in such a column.
  fileprivate func converts(_ value: Value) -> Bool {
    switch (self, value) {
    case (.real, .integer), (.text, .integer), (.text, .real): true
    case (.integer, .real(let real)), (.numeric, .real(let real)): Int64(exactly: real) != nil
    default: false
    }
  }
}
