import TributaryCore
import TributaryReplay
import TributaryStore

/// The result of `attach`.
package struct AttachReport: Sendable {
  package enum Outcome: Equatable, Sendable {
    /// A new, empty store, or one with what its migrations insert.
    case created
    /// The store was missing and has been rebuilt from the logs.
    case rebuilt(transactions: Int)
    /// The rows of the database became its first transaction.
    case adopted(rows: Int)
    /// The logs were imported. This number of rows that the database has and the logs do not show was added.
    case joined(added: Int)
    case alreadyAttached
    /// The store was already attached, and its container was found in another place.
    case moved
    /// Nothing was done; `refusals` states why. Only in a rehearsal.
    case refused

    /// Whether the store existed before.
    var isOfPresentStore: Bool { self == .alreadyAttached || self == .moved }
  }

  package var outcome: Outcome
  package var identity: StoreIdentity
  /// The path of the baseline from which the store was made; `nil` if it was made from the logs alone.
  package var baseline: String?
  /// Whether the report states what would be done. Nothing was done then.
  package var isRehearsal = false
  /// Whether the store automatically takes what the schemas of other devices add.
  package var followsSchema = false
  /// What has been taken from the schemas of other devices, for a database that had rows of its own.
  package var schemas: [TakenSchema] = []
  /// What has changed about a store that was attached already, each as a phrase.
  package var applied: [String] = []
  /// All reasons against attaching.
  package var refusals: [AttachRefusal] = []
  /// The shared tables, in the order of creation.
  package var tables: [AttachedTable] = []
  /// What identifies the rows of tables without PRIMARY KEY.
  package var keys: [TableKey] = []
  /// What is not shared, or cannot be created on every device.
  package var leftOut: [LeftOut] = []
  /// What was declared, what was chosen, what the user may want to decide, and what is worth knowing before
  /// the store is used.
  package var notes: [AttachNote] = []
  /// What is worth knowing before the store is used, each in a sentence.
  package var warnings: [String] { notes.filter { $0.kind == .warning }.map(\.text) }
  /// The number of conflicts between the logs, which win, and the database that joined them.
  package var conflicts = 0
  /// Whether all logs that any store is known to have written were there.
  package var isComplete = true
  /// The number of rows of the database that no other device has and that count as deleted. The devices have
  /// forgotten what they had deleted, and the database has other rows of theirs.
  package var doubted = 0
  /// A copy of the database as it was before, if it has values that are now neither in a table nor in a
  /// conflict.
  package var setAside: String?
  /// The transactions that were set aside or wait.
  package var waiting: [Waiting] = []
  /// What `waiting` waits for, and what others have that has not arrived, with what can be done about it.
  package var delays: [Delay] = []
  /// What others have that has not arrived, each in a sentence.
  package var undelivered: [String] = []
  package var damaged: [(path: String, reason: String)] = []
}

extension AttachReport {
  /// Whether `identity` is that of a store, rather than one that no store has yet.
  package var hasPeer: Bool { identity.peer != PeerIdentity(high: 0, low: 0) }
}
