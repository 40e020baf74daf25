/// Rows of a table that is not replicated, which new devices get once.
public struct ManifestCopy: Codable, Hashable, Sendable {
  /// The columns of the rows.
  public var columns: [String]
  /// The rows, each the JSON text of an array of values, as the command prints them.
  public var rows: [String]

  /// Makes a copy.
  public init(columns: [String], rows: [String]) {
    self.columns = columns
    self.rows = rows
  }
}
