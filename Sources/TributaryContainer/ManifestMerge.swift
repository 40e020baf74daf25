/// What a peer has declared of how one table merges, in the words of the file.
public struct ManifestMerge: Codable, Hashable, Sendable {
  /// `row` or `column`; `nil` where it was left to the table.
  public var merge: String?
  /// `natural`, or `nil`.
  public var keys: String?
  /// `positive` where displaced rows take positive numbers, or `nil`.
  public var numbers: String?
  /// The policies of columns: `counter`, `max` or `min`.
  public var columns: [String: String]
  /// By what rows are known where that is no PRIMARY KEY: `rowid` or `themselves`, or `nil`.
  public var rows: String?
  /// The columns of the UNIQUE key by which they are known, in its order, or `nil`.
  public var unique: [String]?

  /// Makes a declaration.
  public init(
    merge: String? = nil, keys: String? = nil, columns: [String: String] = [:],
    rows: String? = nil, unique: [String]? = nil, numbers: String? = nil
  ) {
    self.numbers = numbers
    self.rows = rows
    self.unique = unique
    self.merge = merge
    self.keys = keys
    self.columns = columns
  }

  /// Whether somebody has declared something; what rows are known by is chosen by the store itself.
  public var isDeclared: Bool {
    merge != nil || keys != nil || numbers != nil || !columns.isEmpty
  }
}
