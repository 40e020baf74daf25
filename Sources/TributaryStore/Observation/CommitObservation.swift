import Synchronization
import TributaryCore

/// Who is told of the commits of one store. As long as nobody is, a commit costs the reading of a flag.
package final class CommitObservation: Sendable {
  private let active = Atomic(false)
  private let observer = Mutex<(any CommitObserver)?>(nil)

  package init() {}

  /// Whether anybody is told.
  package var isActive: Bool { active.load(ordering: .relaxed) }

  /// Sets who is told from the next commit on; `nil` for nobody.
  package func tell(_ new: (any CommitObserver)?) {
    observer.withLock { $0 = new }
    active.store(new != nil, ordering: .relaxed)
  }

  var present: (any CommitObserver)? { observer.withLock { $0 } }
}

/// What is told of commits, on the thread that commits and in the order of the commits. It must not wait.
package protocol CommitObserver: AnyObject, Sendable {
  /// Called under the write lock, before a recorded transaction is committed.
  func willCommit(_ sequence: SequenceNumber, by peer: PeerIdentity)
  /// Called under the write lock, after such a commit has failed.
  func didFail(_ sequence: SequenceNumber, by peer: PeerIdentity)
  /// Called after each commit that has changed anything.
  func didCommit(_ changes: CommittedChanges)
}
