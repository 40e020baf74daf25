import TributaryCore
import TributarySync

/// What one import has changed, told after it was committed.
public struct ImportChange: Sendable {
  /// Transactions of one peer, from the first to the last of them.
  public struct Source: Hashable, Sendable {
    public var peer: PeerIdentity
    public var first: SequenceNumber
    public var last: SequenceNumber
  }

  /// By name: the keys of the rows that were inserted, updated and deleted. Only tables with
  /// changes.
  public var tables: [SQLName: TableChanges]
  /// From whom.
  public var peers: [Source]
  /// Those that it brought, and that last.
  public var conflicts: [Conflict]
  /// Whether another process on this store imported it, such as `tributary sync --watch`.
  public var isByAnotherProcess: Bool
  /// Whether any row may have changed, so that everything is to be read anew: another process has
  /// imported more than the store remembers, and the rest is empty; or it has more than 16 MB of keys, and
  /// `tables` has only their number.
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
