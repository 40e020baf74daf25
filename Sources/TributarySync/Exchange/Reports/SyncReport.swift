public import TributaryCore
public import TributaryMerge
public import TributaryReplay
public import TributaryStore

/// The result of one synchronisation.
public struct SyncReport: Sendable {
  /// What a synchronisation has published for other devices to read.
  public struct Published: Equatable, Sendable {
    /// The number of transactions.
    public var transactions = 0
    /// The number of files that contain them.
    public var segments = 0
    /// The total size of the files.
    public var bytes = 0
  }

  /// The change of identity of a store that has found that others have written under its identity.
  public struct Renewal: Equatable, Sendable {
    /// The identity under which the store wrote before.
    public var former: PeerIdentity
    /// The last transaction that stays with the former identity.
    public var last: SequenceNumber
    /// The new identity.
    public var peer: PeerIdentity
    /// The number of transactions that the store has issued again under the new identity.
    public var reissued: Int
    /// The evidence that others have written under the former identity.
    public var evidence: String
  }

  /// What was imported from other devices.
  public struct Imported: Sendable {
    /// The number of transactions.
    public var transactions = 0
    /// The peers and the ranges of their transactions that were imported.
    public var peers: [(peer: PeerIdentity, first: SequenceNumber, last: SequenceNumber)] = []
    /// The tables with changed rows.
    public var changes: [(table: String, changes: TableChanges)] = []
    /// The conflicts that are new and still open.
    public var conflicts: [Conflict] = []
    /// What a store that follows the schemas of its peers has taken from them, together with these
    /// transactions.
    public var schemas: [TakenSchema] = []
    /// Whether another process imported this into the store.
    public var isByAnotherProcess = false
    /// Whether any row may have changed: other processes have imported more than the store remembers, or
    /// `changes` contains only the number of rows, because there are too many.
    public var mayHaveChangedEverything: Bool {
      isIncomplete || changes.contains { $0.changes.isForgotten }
    }
    var isIncomplete = false
    /// Its number in the journal.
    package internal(set) var entry: Int64?

    /// Creates an empty import.
    package init() {}

    /// An import with unknown contents.
    package static var everything: Imported {
      var imported = Imported()
      imported.isByAnotherProcess = true
      imported.isIncomplete = true
      return imported
    }

    /// Whether the import contains nothing.
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
      // If both imports contain a conflict, the later one has its later state.
      let news = Set(other.conflicts.map(\.id))
      conflicts.removeAll { news.contains($0.id) }
      conflicts += other.conflicts
    }
  }

  /// The store's change of identity; `nil` if there was none.
  public var renewal: Renewal?
  /// How the store has come back to the other devices; `nil` if it has not.
  public var returned: ReturnReport?
  /// What other programs wrote and nothing captured.
  public var uncaptured: Uncaptured?
  /// Tables that take no part, because other programs have dropped them or removed columns; also tables and
  /// columns that are here under two names, although a migration of another device states that they are one.
  public var stopped: [Refusal] = []
  /// The contradictions between the migrations of different devices. Nothing waits because of them.
  public var disagreements: [Refusal] = []
  /// Rows that other programs wrote with NULL in their key. They are not replicated. A table is named as long
  /// as it has such rows.
  public var keyless: [Refusal] = []
  /// What other devices can read now.
  public var published = Published()
  /// The baseline that the store has written; `nil` if it has written none. Through it, other devices get
  /// what would be lost with its writer.
  public var baseline: BaselineReport?
  /// What was imported from other devices.
  public var imported = Imported()
  /// The transactions that have arrived and wait for something that has not.
  public var waiting: [Waiting] = []
  /// Everything that has arrived and is not imported, including what was issued again.
  package var outside: [Waiting] = []
  /// Whether the store has to come back before it can import, since the other devices have forgotten the logs
  /// with which its tables would have to be compared.
  var isUncompared = false
  /// The number of open conflicts of the store.
  public var conflicts = 0
  /// A notice that the store takes more space than its limit; `nil` if it does not, or has no limit.
  public var space: SpaceNotice?
  /// What has kept the store from writing a baseline or removing old files, though everything else was done.
  /// Nothing waits for it, and the next synchronisation tries again.
  public var hindrance: (any Error)?
  /// What `waiting` waits for, and what others have that has not arrived, with what can be done about it.
  public var delays: [Delay] = []
  /// Files that were set aside, and why. Everything that does not depend on them has been imported.
  public var damaged: [(path: String, reason: String)] = []
  /// Files that are cut short or empty and have been so only briefly: the carrier may still be writing them.
  public var arriving: [(path: String, reason: String)] = []
  /// Why publishing, or reading the container as a whole, was not possible. The store is unharmed.
  public var failure: (any Error)?

  /// Creates an empty report.
  public init() {}

  /// Whether nothing was published, imported or found wrong.
  public var isEmpty: Bool {
    published.transactions == 0 && published.segments == 0 && imported.transactions == 0
      && renewal == nil && returned == nil && uncaptured == nil && keyless.isEmpty
      && !imported.mayHaveChangedEverything
      && stopped.isEmpty && waiting.isEmpty && damaged.isEmpty && arriving.isEmpty && failure == nil
  }
}
