public import TributaryCore

/// The result of a rebuild.
public struct RebuildReport: Equatable, Sendable {
  /// The number of transactions that were replayed.
  public var transactions: Int
  /// The file with the rows that the store had and that are in no log; `nil` if there are none.
  public var setAside: SetAside?
  /// Tables that have stopped and are not whole yet, each with what lets it continue. They have not changed.
  public var stopped: [Refusal] = []

  package init(transactions: Int, setAside: SetAside? = nil) {
    self.transactions = transactions
    self.setAside = setAside
  }

  /// A database beside the store, with what the store no longer shows.
  public struct SetAside: Equatable, Sendable {
    /// The path of that database.
    public var path: String
    /// The number of rows in it, each as it was; `nil` if it is the whole former store, because that could
    /// not be read to the end.
    public var rows: Int?

    package init(path: String, rows: Int?) {
      self.path = path
      self.rows = rows
    }
  }
}
