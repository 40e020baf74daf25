/// What a rebuild replayed.
public struct RebuildReport: Equatable, Sendable {
  public var transactions: Int
  /// Where the rows are that the store had and no log has; `nil` without any.
  public var setAside: SetAside?

  public init(transactions: Int, setAside: SetAside? = nil) {
    self.transactions = transactions
    self.setAside = setAside
  }

  /// A database beside the store with what the store does not show any more.
  public struct SetAside: Equatable, Sendable {
    public var path: String
    /// How many rows are in it, each as it was; `nil` when it is the whole store as it was, since that
    /// could not be read to its end.
    public var rows: Int?

    public init(path: String, rows: Int?) {
      self.path = path
      self.rows = rows
    }
  }
}
