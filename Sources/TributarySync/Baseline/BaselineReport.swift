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
  /// The number of transactions that the store has but the baseline does not: the devices have not agreed on
  /// a horizon that contains them.
  public var beyond: Int = 0
  /// The peers that must act before a later horizon can contain these, each with its name: they have not
  /// imported them, or have not promised what this store has proposed or promised.
  public var awaited: [String] = []
  /// The peers that agree on no horizon, because their programs are of version 1.0 or have horizons switched
  /// off, each with its name. Nothing is forgotten while they are counted on.
  public var unable: [String] = []
  /// The paths of older baselines of this store that were removed.
  public var removed: [String] = []
}
