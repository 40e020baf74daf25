import TributaryCore
import TributaryLog

/// How the rows of a table are numbered, as far as numberings require.
package struct NumberedTable: Sendable {
  /// A column that makes rows the same.
  struct IdentifyingColumn: Sendable {
    var collation: Collation
    /// The table whose numbers the column holds, if it holds any.
    var root: Int?
  }

  /// The table's lasting name.
  package var name: String
  /// The number of random bits, below a leading 1, of a displaced row's new number; `nil` gives displaced
  /// rows negative numbers.
  package var positiveBits: Int?
  /// The identifying columns, in the order of the table; empty if nothing makes rows the same.
  var identifying: [IdentifyingColumn] = []

  package init(name: String, positiveBits: Int? = nil) {
    self.name = name
    self.positiveBits = positiveBits
  }

  /// Whether rows that are inserted independently may be the same.
  package var isIdentified: Bool { !identifying.isEmpty }
}

extension TableDescription {
  /// Returns bytes that are equal for rows whose values make them the same; `nil` if a value is
  /// NULL.
  package func identity(of row: [Value]) throws -> [UInt8]? {
    let values = identifyingColumns.map { row[$0.column] }
    return values.contains(.null)
      ? nil : try KeyProbe.bytes(values, identifyingColumns.map(\.collation))
  }
}

extension ConstraintSet {
  /// The tables of the schema, in its order.
  package var numberedTables: [NumberedTable] {
    let isIdentified = schema.tables.contains { !$0.identifyingColumns.isEmpty }
    let roots = isIdentified ? KeyRoots(self) : nil
    return schema.tables.enumerated().map { number, table in
      var numbered = NumberedTable(name: table.lastingName, positiveBits: table.merge.positiveBits)
      numbered.identifying = table.identifyingColumns.map { key in
        NumberedTable.IdentifyingColumn(
          collation: key.collation,
          root: roots?.columns[number].first { $0.column == key.column }?.root)
      }
      return numbered
    }
  }
}
