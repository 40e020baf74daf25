import TributaryCore

/// A table as the log describes it: its name, its columns, and the columns of its key.
///
/// | Field        | Form                                   | Meaning                            |
/// |--------------|----------------------------------------|------------------------------------|
/// | table        | name                                   | the table                          |
/// | column count | number, 1 … 32,767                     |                                    |
/// | columns      | a name each                            | stored columns, as declared        |
/// | key count    | number, 1 … column count               |                                    |
/// | keys         | column number, collation byte each     | in the order of the key            |
///
/// A name is its length in bytes (at most 4,096), then UTF-8. Columns are counted from 0; generated
/// columns are left out. No two columns have the same name, ignoring the case of ASCII letters.
package struct TableShape: Sendable {
  /// One column of the key.
  package struct Key: Hashable, Sendable {
    /// The position of the column in `columns`, counted from 0.
    package var column: Int
    /// The collation that decides which values of the column are the same key.
    package var collation: Collation

    package init(column: Int, collation: Collation = .binary) {
      self.column = column
      self.collation = collation
    }
  }

  package var table: String
  /// The stored (not generated) columns, in the order of their declaration.
  package var columns: [String]
  /// The columns of the key, in its own order; at least one column.
  package var keys: [Key]

  /// Makes a shape from any values. Encoding it fails if the format does not allow them.
  package init(table: String, columns: [String], keys: [Key]) {
    self.table = table
    self.columns = columns
    self.keys = keys
  }

  /// Returns the position of a column, ignoring the case of ASCII letters.
  package func position(of column: String) -> Int? {
    let name = SQLName(column)
    return columns.firstIndex { SQLName($0) == name }
  }
}

// SQLite compares names as bytes; `String` considers canonically equivalent spellings equal.
extension TableShape: Hashable {
  package static func == (a: TableShape, b: TableShape) -> Bool {
    a.keys == b.keys && a.table.utf8.elementsEqual(b.table.utf8)
      && a.columns.elementsEqual(b.columns) { $0.utf8.elementsEqual($1.utf8) }
  }

  package func hash(into hasher: inout Hasher) {
    hash(table, into: &hasher)
    for column in columns { hash(column, into: &hasher) }
    hasher.combine(keys)
  }

  private func hash(_ name: String, into hasher: inout Hasher) {
    for byte in name.utf8 { hasher.combine(byte) }
    hasher.combine(0xFF as UInt8)
  }
}
