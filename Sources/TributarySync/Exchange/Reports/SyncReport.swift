public import TributaryCore
public import TributaryMerge
public import TributaryReplay
public import TributaryStore

/// The result of one synchronisation.
public struct SyncReport: Sendable {
  /// What others can read now.
  public struct Published: Equatable, Sendable {
    /// The number of transactions.
    public var transactions = 0
    /// The number of files that they are in.
    public var segments = 0
    /// The size of the files.
    public var bytes = 0
  }

  /// The change of identity of a store that has found that others have written under its own.
  public struct Renewal: Equatable, Sendable {
    /// The identity under which it wrote before.
    public var former: PeerIdentity
    /// The last transaction that stays with the former identity.
    public var last: SequenceNumber
    /// The new identity.
    public var peer: PeerIdentity
    /// The number of transactions that the store has issued again under it.
    public var reissued: Int
    /// The evidence.
    public var evidence: String
  }

  /// What came from others.
  public struct Imported: Sendable {
    /// The number of transactions.
    public var transactions = 0
    /// The peers and the ranges of their transactions that were imported.
    public var peers: [(peer: PeerIdentity, first: SequenceNumber, last: SequenceNumber)] = []
    /// The tables with changed rows.
    public var changes: [(table: String, changes: TableChanges)] = []
    /// The conflicts that were not there before, and are still open.
    public var conflicts: [Conflict] = []
    /// What a store that follows has taken from the schemas of its peers, together with these transactions.
    public var schemas: [TakenSchema] = []
    /// Whether another process on this store imported it.
    public var isByAnotherProcess = false
    /// Whether any row may have changed: other processes have imported more than the store remembers, or
    /// `changes` has only the number of rows, because there are too many.
    public var mayHaveChangedEverything: Bool {
      isIncomplete || changes.contains { $0.changes.isForgotten }
    }
    var isIncomplete = false
    /// Its number in the journal.
    package internal(set) var entry: Int64?

    /// Makes an empty import.
    package init() {}

    /// An import with unknown contents.
    package static var everything: Imported {
      var imported = Imported()
      imported.isByAnotherProcess = true
      imported.isIncomplete = true
      return imported
    }

    /// Whether it contains nothing.
    public var isEmpty: Bool {
      transactions == 0 && conflicts.isEmpty && changes.isEmpty && !mayHaveChangedEverything
    }

    package mutating func append(_ other: Imported) {
      transactions += other.transactions
      schemas += other.schemas
      isIncomplete = isIncomplete || other.isIncomplete
      isByAnotherProcess = isByAnotherProcess || other.isByAnotherProcess
      for range in other.peers {
        if let index = peers.firstIndex(where: { $0.peer == range.peer }) {
          peers[index].last = range.last
        } else {
          peers.append(range)
        }
      }
      for entry in other.changes {
        if let index = changes.firstIndex(where: { SQLName($0.table) == SQLName(entry.table) }) {
          changes[index].changes.append(contentsOf: entry.changes)
        } else {
          changes.append(entry)
        }
      }
      // Of two imports, the later one has the later state of a conflict.
      let news = Set(other.conflicts.map(\.id))
      conflicts.removeAll { news.contains($0.id) }
      conflicts += other.conflicts
    }
  }

  /// The store's change of identity, if there was one.
  public var renewal: Renewal?
  /// How the store has come back to the others, if it has.
  public var returned: ReturnReport?
  /// What other programs wrote and nothing captured.
  public var uncaptured: Uncaptured?
  /// Tables that take no part, because other programs have dropped them or removed columns; and tables and columns that are
  /// here under two names, of which a migration of another device says that they are one.
  public var stopped: [Refusal] = []
  /// What the migrations of different devices contradict each other in. Nothing waits for it.
  public var disagreements: [Refusal] = []
  /// Rows that other programs wrote with NULL in their key: they are not replicated. A table is named as long as it has
  /// such rows.
  public var keyless: [Refusal] = []
  /// What others can read now.
  public var published = Published()
  /// The baseline that it has written; `nil` if it has written none. What is lost with its writer comes to others so.
  public var baseline: BaselineReport?
  /// What came from others.
  public var imported = Imported()
  /// What has arrived and waits for something that has not.
  public var waiting: [Waiting] = []
  /// All that has arrived and is not imported, with what was issued again.
  package var outside: [Waiting] = []
  /// Whether the store has to come back before it can import, since the other devices have forgotten what its tables would have
  /// to be compared with.
  var isUncompared = false
  /// The number of open conflicts of the store.
  public var conflicts = 0
  /// Says that the store takes more room than it was told to; `nil` if it does not, or was told nothing.
  public var space: SpaceNotice?
  /// What has kept the store from writing a baseline or removing old files, though everything else was done; nobody
  /// waits for it, and the next synchronisation tries again.
  public var hindrance: (any Error)?
  /// What `waiting` waits for, and what others have and has not arrived, with what can be done about it.
  public var delays: [Delay] = []
  /// Files that were set aside, and why. Everything that does not depend on them has been imported.
  public var damaged: [(path: String, reason: String)] = []
  /// Files that are cut short or empty, and have not been so for long: the carrier may still be at
  /// work on them.
  public var arriving: [(path: String, reason: String)] = []
  /// Why publishing, or reading the container as a whole, was not possible; the store is unharmed.
  public var failure: (any Error)?

  /// Makes a report of nothing.
  public init() {}

  /// Whether nothing was published, imported or found wrong.
  public var isEmpty: Bool {
    published.transactions == 0 && published.segments == 0 && imported.transactions == 0
      && renewal == nil && returned == nil && uncaptured == nil && keyless.isEmpty
      && !imported.mayHaveChangedEverything
      && stopped.isEmpty && waiting.isEmpty && damaged.isEmpty && arriving.isEmpty && failure == nil
  }
}
