public import TributaryStore

/// What `attach` did.
public struct AttachReport: Sendable {
  public enum Outcome: Equatable, Sendable {
    /// A new, empty store, or one with what its migrations insert.
    case created
    /// The store was missing and has been rebuilt from the logs.
    case rebuilt(transactions: Int)
    /// The rows of the database became its first transaction.
    case adopted(rows: Int)
    /// The logs were imported, and so many rows of the database that they do not know were added.
    case joined(added: Int)
    case alreadyAttached
  }

  public var outcome: Outcome
  public var identity: StoreIdentity
  /// What is worth knowing before the store is used, each in a sentence.
  public var warnings: [String] = []
  /// What was set aside or waits.
  public var waiting: [Waiting] = []
  public var damaged: [(path: String, reason: String)] = []
}
