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

  /// What columns hold numbers of, by column, where no foreign key says so; or `nil`.
  public var references: [String: Reference]?

  /// The columns that make rows the same which are inserted apart, in ascending order, or `nil`.
  public var identify: [String]?

  /// A column of a table that is referred to.
  public struct Reference: Codable, Hashable, Sendable {
    /// The table.
    public var table: String
    /// Its column, or `rowid`.
    public var column: String

    /// Names a column.
    public init(table: String, column: String) {
      self.table = table
      self.column = column
    }
  }

  /// Makes a declaration.
  public init(
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

  /// Whether somebody has declared something; what rows are known by is chosen by the store itself.
  public var isDeclared: Bool {
    merge != nil || keys != nil || numbers != nil || !columns.isEmpty || references != nil
      || identify != nil
  }
}
