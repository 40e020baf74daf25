/// The rows of a table that is not replicated, which new devices get once.
package struct ManifestCopy: Codable, Hashable, Sendable {
  /// The columns of the rows.
  package var columns: [String]
  /// The rows, each the JSON text of an array of values, as the command prints them.
  package var rows: [String]

  /// Makes a copy.
  package init(columns: [String], rows: [String]) {
    self.columns = columns
    self.rows = rows
  }
}
