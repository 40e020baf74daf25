public import TributaryCore

/// What comparing a store with its logs has found.
public struct VerifyReport: Sendable {
  /// A cell, or a whole row, that is not as the logs say.
  public struct Difference: Sendable {
    public var table: String
    public var key: [Value]
    /// `nil` for a whole row.
    public var column: String?
    /// What the store has; `nil` where the row is missing.
    public var stored: Value?
    /// What the logs say; `nil` where the row should not be.
    public var expected: Value?
  }

  /// How many transactions were replayed.
  public var transactions: Int
  /// How many differences there are.
  public var differenceCount: Int
  /// The first of them.
  public var differences: [Difference]
}

extension VerifyReport.Difference: CustomStringConvertible {
  public var description: String {
    var text = JSONWriter()
    text.key(key)
    let row = "table \(table), key \(text.text)"
    if column == nil {
      return stored == nil
        ? "\(row): the row is missing from the store" : "\(row): the row is not in the logs"
    }
    var stored = JSONWriter()
    stored.value(self.stored ?? .null)
    var expected = JSONWriter()
    expected.value(self.expected ?? .null)
    return
      "\(row), column \(column ?? ""): the store has \(stored.text), the logs say \(expected.text)"
  }
}
