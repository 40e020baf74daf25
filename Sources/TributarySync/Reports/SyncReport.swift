public import TributaryCore
public import TributaryMerge
public import TributaryStore

/// What one synchronisation did.
public struct SyncReport: Sendable {
  public struct Published: Equatable, Sendable {
    public var transactions = 0
    public var segments = 0
    /// Of the files.
    public var bytes = 0
  }

  /// The store has found that others have written under its identity, and has taken another one.
  public struct Renewal: Equatable, Sendable {
    public var former: PeerIdentity
    /// The last transaction that stays with the former identity.
    public var last: SequenceNumber
    /// The new identity.
    public var peer: PeerIdentity
    /// How many transactions the store has issued again under it.
    public var reissued: Int
    /// How it was found out.
    public var evidence: String
  }

  public struct Imported: Sendable {
    public var transactions = 0
    /// From which peers, and which of their transactions.
    public var peers: [(peer: PeerIdentity, first: SequenceNumber, last: SequenceNumber)] = []
    /// Tables with changed rows.
    public var changes: [(table: String, changes: TableChanges)] = []
    /// Those that were not there before, and last.
    public var conflicts: [Conflict] = []
    /// Whether it was another process on this store that imported it.
    public var isByAnotherProcess = false
    /// Other processes have imported more than the store remembers, or `changes` has only the number of
    /// rows, because there are too many: any row may have changed.
    public var mayHaveChangedEverything: Bool {
      isIncomplete || changes.contains { $0.changes.isForgotten }
    }
    var isIncomplete = false
    /// Its number in the journal.
    var entry: Int64?

    /// Nothing.
    public init() {}

    /// What cannot be told.
    static var everything: Imported {
      var imported = Imported()
      imported.isByAnotherProcess = true
      imported.isIncomplete = true
      return imported
    }

    /// Whether it says nothing.
    public var isEmpty: Bool {
      transactions == 0 && conflicts.isEmpty && changes.isEmpty && !mayHaveChangedEverything
    }

    package mutating func append(_ other: Imported) {
      transactions += other.transactions
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
      // Of two imports the later one knows better what has become of one.
      let news = Set(other.conflicts.map(\.id))
      conflicts.removeAll { news.contains($0.id) }
      conflicts += other.conflicts
    }
  }

  /// Whether the store has taken another identity.
  public var renewal: Renewal?
  /// What other programs wrote and nothing captured.
  public var uncaptured: Uncaptured?
  public var published = Published()
  public var imported = Imported()
  public var waiting: [Waiting] = []
  /// How many conflicts last in the store.
  public var conflicts = 0
  /// What `waiting` is for, and what can be done about it.
  public var delays: [Delay] = []
  /// Files that were set aside, and why. Everything that does not depend on them has been imported.
  public var damaged: [(path: String, reason: String)] = []
  /// Files that are cut short or empty, and have not been so for long: the carrier may still be at
  /// work on them.
  public var arriving: [(path: String, reason: String)] = []
  /// Why publishing, or reading the container as a whole, was not possible; the store is unharmed.
  public var failure: (any Error)?

  public init() {}

  /// Nothing was published, imported or found amiss.
  public var isEmpty: Bool {
    published.transactions == 0 && published.segments == 0 && imported.transactions == 0
      && renewal == nil && uncaptured == nil && !imported.mayHaveChangedEverything
      && waiting.isEmpty && damaged.isEmpty && arriving.isEmpty && failure == nil
  }
}
