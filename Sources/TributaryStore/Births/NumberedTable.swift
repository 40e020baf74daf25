import TributaryCore
import TributaryLog

/// How the rows of a table are numbered, as far as births ask.
package struct NumberedTable: Sendable {
  /// A column that makes rows the same.
  struct IdentifyingColumn: Sendable {
    var collation: Collation
    /// The table whose numbers it holds, where it does.
    var root: Int?
  }

  /// Its name.
  package var name: String
  /// How many random bits, below a leading 1, a displaced row's new number has; `nil` gives displaced rows
  /// negative numbers.
  package var positiveBits: Int?
  /// In their order in the table; none where nothing makes rows the same.
  var identifying: [IdentifyingColumn] = []

  package init(name: String, positiveBits: Int? = nil) {
    self.name = name
    self.positiveBits = positiveBits
  }

  /// Whether rows that are inserted apart may be one.
  package var isIdentified: Bool { !identifying.isEmpty }
}

extension TableDescription {
  /// Bytes that are equal for rows whose values make them the same; `nil` where one is NULL.
  package func identity(of row: [Value]) throws -> [UInt8]? {
    let values = identifyingColumns.map { row[$0.column] }
    return values.contains(.null)
      ? nil : try KeyProbe.bytes(values, identifyingColumns.map(\.collation))
  }
}

extension ConstraintSet {
  /// The tables of the schema in their order.
  package var numberedTables: [NumberedTable] {
    let isIdentified = schema.tables.contains { !$0.identifyingColumns.isEmpty }
    let roots = isIdentified ? KeyRoots(self) : nil
    return schema.tables.enumerated().map { number, table in
      var numbered = NumberedTable(name: table.name, positiveBits: table.merge.positiveBits)
      numbered.identifying = table.identifyingColumns.map { key in
        NumberedTable.IdentifyingColumn(
          collation: key.collation,
          root: roots?.columns[number].first { $0.column == key.column }?.root)
      }
      return numbered
    }
  }
}
