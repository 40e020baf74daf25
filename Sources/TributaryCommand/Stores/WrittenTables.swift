import Synchronization
import TributaryCore
import TributaryStore

/// The tables in which the commits of a store have changed rows.
final class WrittenTables: CommitObserver {
  private let tables = Mutex<Set<SQLName>>([])

  var all: Set<SQLName> { tables.withLock { $0 } }

  func willCommit(_ sequence: SequenceNumber, by peer: PeerIdentity) {}

  func didFail(_ sequence: SequenceNumber, by peer: PeerIdentity) {}

  func didCommit(_ changes: CommittedChanges) {
    tables.withLock { $0.formUnion(changes.tables ?? []) }
  }
}
