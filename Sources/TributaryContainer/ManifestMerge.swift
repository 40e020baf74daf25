/// A peer's declaration of how one table merges, in the words of the file.
package struct ManifestMerge: Codable, Hashable, Sendable {
  /// `row` or `column`; `nil` if the table decides.
  package var merge: String?
  /// `natural`, or `nil`.
  package var keys: String?
  /// `positive` if displaced rows take positive numbers, or `nil`.
  package var numbers: String?
  /// The policies of columns: `counter`, `max`, `min` or `last`.
  package var columns: [String: String]
  /// What identifies rows if the PRIMARY KEY does not: `rowid` or `themselves`, or `nil`.
  package var rows: String?
  /// The columns of the UNIQUE key that identifies rows, in its order, or `nil`.
  package var unique: [String]?

  /// The columns that hold numbers of other rows although no foreign key says so, and what they
  /// refer to; or `nil`.
  package var references: [String: Reference]?

  /// The columns by which rows that were inserted independently are the same row, in ascending
  /// order, or `nil`.
  package var identify: [String]?

  /// A column that another one refers to.
  package struct Reference: Codable, Hashable, Sendable {
    /// The table.
    package var table: String
    /// The column, or `rowid`.
    package var column: String

    /// Makes a reference.
    package init(table: String, column: String) {
      self.table = table
      self.column = column
    }
  }

  /// Makes a declaration.
  package init(
    merge: String? = nil, keys: String? = nil, columns: [String: String] = [:],
    rows: String? = nil, unique: [String]? = nil, numbers: String? = nil,
    references: [String: Reference]? = nil, identify: [String]? = nil
  ) {
    self.identify = identify
    self.numbers = numbers
    self.references = references
    self.rows = rows
    self.unique = unique
    self.merge = merge
    self.keys = keys
    self.columns = columns
  }

  /// Whether anything was declared. What identifies rows is the store's own choice, and does not
  /// count.
  package var isDeclared: Bool {
    merge != nil || keys != nil || numbers != nil || !columns.isEmpty || references != nil
      || identify != nil
  }
}
