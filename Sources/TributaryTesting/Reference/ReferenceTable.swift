package import TributaryCore

/// A table: all its columns, including those of the key, the key, and its constraints.
package struct ReferenceTable: Sendable {
  package var name: String
  package var columns: [ReferenceColumn]

  /// The columns of the key, in the order of the primary key.
  package var keyColumns: [ReferenceKeyColumn]

  /// Whether the primary key is a single `INTEGER PRIMARY KEY`: SQLite numbers the rows.
  package var hasGeneratedKeys: Bool

  /// Whether the row identifier stands in for a missing primary key: each inserted row is a separate one.
  package var keepsEqualRowsApart: Bool

  /// Whether it is declared that a number always means the same row.
  package var hasNaturalKeys: Bool

  /// The declared range of the numbers of displaced rows, from 2^bits to 2^(bits + 1) − 1; `nil` means
  /// negative ones.
  package var positiveBits: Int?

  /// The columns declared to identify rows: rows that are inserted independently with equal values in them
  /// are the same. Empty if none are declared.
  package var identifyingColumns: [ReferenceKeyColumn] = []

  /// Whether an update contains all the columns that are not in the key.
  package var isMergedByRow: Bool

  /// In the order in which they were made: the reverse of SQLite's `PRAGMA index_list`.
  package var uniqueKeys: [ReferenceUniqueKey]

  /// In the order of SQLite's `PRAGMA foreign_key_list`: the last declared one first.
  package var foreignKeys: [ReferenceForeignKey]

  package init(
    name: String, columns: [ReferenceColumn], keyColumns: [ReferenceKeyColumn],
    hasGeneratedKeys: Bool = false, keepsEqualRowsApart: Bool = false,
    hasNaturalKeys: Bool = false, isMergedByRow: Bool = false,
    uniqueKeys: [ReferenceUniqueKey] = [], foreignKeys: [ReferenceForeignKey] = []
  ) {
    let names = Set(columns.map(\.name))
    precondition(names.count == columns.count, "two columns of \(name) with one name")
    precondition(!keyColumns.isEmpty && keyColumns.allSatisfy { names.contains($0.name) })
    precondition(uniqueKeys.allSatisfy { names.isSuperset(of: $0.columns) })
    precondition(foreignKeys.allSatisfy { names.isSuperset(of: $0.columns) })
    precondition(!hasGeneratedKeys || keyColumns.count == 1)
    precondition(!keepsEqualRowsApart || hasGeneratedKeys)
    self.name = name
    self.columns = columns
    self.keyColumns = keyColumns
    self.hasGeneratedKeys = hasGeneratedKeys
    self.keepsEqualRowsApart = keepsEqualRowsApart
    self.hasNaturalKeys = hasNaturalKeys
    self.isMergedByRow = isMergedByRow
    self.uniqueKeys = uniqueKeys
    self.foreignKeys = foreignKeys
  }

  /// Returns a column.
  ///
  /// - Precondition: there is a column with this name.
  package subscript(column name: String) -> ReferenceColumn {
    guard let column = columns.first(where: { $0.name == name }) else {
      preconditionFailure("no column \(name) in \(self.name)")
    }
    return column
  }

  package func isKey(_ column: String) -> Bool { keyColumns.contains { $0.name == column } }

  /// Whether nothing that happens to a row leaves a conflict.
  var leavesNoConflicts: Bool {
    let others = columns.filter { !isKey($0.name) }
    return !others.isEmpty && others.allSatisfy { $0.policy == .last }
  }

  /// Returns the identity of a key, however it is spelled.
  ///
  /// - Precondition: `key` has a value for each column of the key, in their order.
  package func canonical(_ key: [Value]) -> ReferenceKey {
    precondition(key.count == keyColumns.count, "a key of \(name) with \(key.count) values")
    return ReferenceKey(values: zip(keyColumns, key).map { $0.collation.canonical($1) })
  }

  package func identity(_ key: [Value]) -> ReferenceRowIdentity {
    ReferenceRowIdentity(table: name, key: canonical(key))
  }

  /// Returns the key of a row as it is stored there.
  ///
  /// - Precondition: `row` has a value for each column of the key.
  package func key(of row: ReferenceContents.Row) -> [Value] {
    keyColumns.map { column in
      guard let value = row[column.name] else {
        preconditionFailure("a row of \(name) without its key column \(column.name)")
      }
      return value
    }
  }
}
