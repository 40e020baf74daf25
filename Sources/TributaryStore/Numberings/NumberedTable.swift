import TributaryCore
import TributaryLog

/// How the rows of a table are numbered, as far as numberings need to know.
package struct NumberedTable: Sendable {
  /// A column that makes rows the same.
  struct IdentifyingColumn: Sendable {
    var collation: Collation
    /// The table whose numbers the column contains, if any.
    var root: Int?
  }

  /// The table's lasting name.
  package var name: String
  /// The number of random bits, below a leading 1, in the new number of a displaced row; `nil` gives
  /// displaced rows negative numbers.
  package var positiveBits: Int?
  /// The identifying columns, in the order of the table; empty if nothing makes rows the same.
  var identifying: [IdentifyingColumn] = []
  /// The tables whose numbers columns contain, by the first names of the columns.
  var roots: [String: Int] = [:]

  package init(name: String, positiveBits: Int? = nil) {
    self.name = name
    self.positiveBits = positiveBits
  }

  /// Whether rows of a migration may be the same, and nothing else is declared.
  package var comparesMigrations: Bool { identifying.isEmpty && positiveBits == nil }

  /// Whether rows that are inserted independently may be the same.
  package var isIdentified: Bool { !identifying.isEmpty }
}

extension TableDescription {
  /// Returns bytes that are equal for rows whose values make them the same; `nil` if a value is NULL.
  package func identity(of row: [Value]) throws -> [UInt8]? {
    let values = identifyingColumns.map { row[$0.column] }
    return values.contains(.null)
      ? nil : try KeyProbe.bytes(values, identifyingColumns.map(\.collation))
  }
}

extension ConstraintSet {
  /// The tables of the schema, in its order.
  package var numberedTables: [NumberedTable] {
    let roots = KeyRoots(self)
    return schema.tables.enumerated().map { number, table in
      var numbered = NumberedTable(name: table.lastingName, positiveBits: table.merge.positiveBits)
      numbered.identifying = table.identifyingColumns.map { key in
        NumberedTable.IdentifyingColumn(
          collation: key.collation,
          root: roots.columns[number].first { $0.column == key.column }?.root)
      }
      if roots.generates[number], numbered.comparesMigrations {
        for (column, root) in roots.columns[number] {
          let name = schema.names.firstName(ofColumn: table.shape.columns[column], of: table.name)
          numbered.roots[name] = root
        }
      }
      return numbered
    }
  }
}
