import TributaryCore
import TributarySync

/// What one import changed. It is announced after the commit.
public struct ImportChange: Sendable {
  /// The transactions of one peer that were imported, from the first to the last.
  public struct Source: Hashable, Sendable {
    /// The store that wrote them.
    public var peer: PeerIdentity
    /// The sequence number of its first transaction.
    public var first: SequenceNumber
    /// The sequence number of its last transaction.
    public var last: SequenceNumber
  }

  /// The tables with changes, by name, each with the keys of the rows that were inserted, updated
  /// and deleted.
  public var tables: [SQLName: TableChanges]
  /// The peers whose transactions were imported.
  public var peers: [Source]
  /// The conflicts that this import brought and that are still open.
  public var conflicts: [Conflict]
  /// Whether another process that uses this store imported it, such as `tributary sync --watch`.
  public var isByAnotherProcess: Bool
  /// Whether any row may have changed, so that the application must read everything again. Either another
  /// process has imported more than the store remembers, and every other property is empty; or there are more
  /// than 16 MB of keys, and `tables` has only their number.
  public var mayHaveChangedEverything: Bool

  package init(_ imported: SyncReport.Imported) {
    tables = Dictionary(
      imported.changes.map { (SQLName($0.table), $0.changes) },
      uniquingKeysWith: { first, _ in first })
    peers = imported.peers.map { Source(peer: $0.peer, first: $0.first, last: $0.last) }
    conflicts = imported.conflicts
    isByAnotherProcess = imported.isByAnotherProcess
    mayHaveChangedEverything = imported.mayHaveChangedEverything
  }
}
