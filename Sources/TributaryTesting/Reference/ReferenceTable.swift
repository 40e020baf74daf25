package import TributaryCore

/// A table: all its columns, those of the key among them, and the key.
package struct ReferenceTable: Sendable {
  package var name: String
  package var columns: [ReferenceColumn]

  /// In the order of the primary key.
  package var keyColumns: [ReferenceKeyColumn]

  package init(name: String, columns: [ReferenceColumn], keyColumns: [ReferenceKeyColumn]) {
    let names = Set(columns.map(\.name))
    precondition(names.count == columns.count, "two columns of \(name) with one name")
    precondition(!keyColumns.isEmpty && keyColumns.allSatisfy { names.contains($0.name) })
    self.name = name
    self.columns = columns
    self.keyColumns = keyColumns
  }

  /// The identity of a key, however it is spelled.
  ///
  /// - Precondition: `key` has a value for each column of the key, in their order.
  package func canonical(_ key: [Value]) -> ReferenceKey {
    precondition(key.count == keyColumns.count, "a key of \(name) with \(key.count) values")
    return ReferenceKey(values: zip(keyColumns, key).map { $0.collation.canonical($1) })
  }

  /// The key of a row as it is stored there.
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
