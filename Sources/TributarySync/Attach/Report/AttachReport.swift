import TributaryCore
public import TributaryReplay
public import TributaryStore

/// The result of `attach`.
public struct AttachReport: Sendable {
  public enum Outcome: Equatable, Sendable {
    /// A new, empty store, or one with what its migrations insert.
    case created
    /// The store was missing and has been rebuilt from the logs.
    case rebuilt(transactions: Int)
    /// The rows of the database became its first transaction.
    case adopted(rows: Int)
    /// The logs were imported, and this number of rows of the database that they do not show was added.
    case joined(added: Int)
    case alreadyAttached
    /// The store was already attached, and its container was found at another place.
    case moved
    /// Nothing was done; `refusals` says why. Only in a rehearsal.
    case refused

    /// Whether the store existed before.
    var isOfPresentStore: Bool { self == .alreadyAttached || self == .moved }
  }

  public var outcome: Outcome
  public var identity: StoreIdentity
  /// The path of the baseline from which the store was made; `nil` if it was made from the logs alone.
  public var baseline: String?
  /// Whether it says what would be done; nothing was done.
  public var isRehearsal = false
  /// Whether the store takes by itself what the schemas of other devices add.
  public var followsSchema = false
  /// All reasons against attaching.
  public var refusals: [AttachRefusal] = []
  /// The shared tables, in the order of creation.
  public var tables: [AttachedTable] = []
  /// What identifies the rows of tables without PRIMARY KEY.
  public var keys: [TableKey] = []
  /// What is not shared, or cannot be made on every device.
  public var leftOut: [LeftOut] = []
  /// What was declared, what was chosen, what the user may want to decide, and what is worth knowing before
  /// the store is used.
  public var notes: [AttachNote] = []
  /// What is worth knowing before the store is used, each in a sentence.
  public var warnings: [String] { notes.filter { $0.kind == .warning }.map(\.text) }
  /// The number of conflicts between the logs, which win, and the database that joined them.
  public var conflicts = 0
  /// Whether all logs that anybody is known to have written were there.
  public var isComplete = true
  /// A copy of the database as it was before, if it has values that are in no table now, and in no conflict.
  public var setAside: String?
  /// What was set aside or waits.
  public var waiting: [Waiting] = []
  public var damaged: [(path: String, reason: String)] = []
}

extension AttachReport {
  /// Whether `identity` is that of a store, and not one that nobody has yet.
  public var hasPeer: Bool { identity.peer != PeerIdentity(high: 0, low: 0) }
}
