/// What a peer has declared of how one table merges, in the words of the file.
public struct ManifestMerge: Codable, Hashable, Sendable {
  /// `row` or `column`; `nil` where it was left to the table.
  public var merge: String?
  /// `natural`, or `nil`.
  public var keys: String?
  /// The policies of columns: `counter`, `max` or `min`.
  public var columns: [String: String]

  /// Makes a declaration.
  public init(merge: String? = nil, keys: String? = nil, columns: [String: String] = [:]) {
    self.merge = merge
    self.keys = keys
    self.columns = columns
  }
}
