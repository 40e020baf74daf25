/// The result of writing a baseline.
public struct BaselineReport: Equatable, Sendable {
  /// The path of the file.
  public var path: String
  /// The size of the file in bytes.
  public var bytes: Int
  /// The number of rows of all tables in it.
  public var rows: Int
  /// The number of transactions whose effects are in it.
  public var transactions: Int
  /// The number of peers that wrote them.
  public var peers: Int
  /// The paths of older baselines of this store that were removed.
  public var removed: [String] = []
}
