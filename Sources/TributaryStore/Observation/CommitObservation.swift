import Synchronization
import TributaryCore

/// The observer of the commits of one store. As long as there is none, a commit only has to read a flag.
package final class CommitObservation: Sendable {
  private let active = Atomic(false)
  private let observer = Mutex<(any CommitObserver)?>(nil)

  package init() {}

  /// Whether there is an observer.
  package var isActive: Bool { active.load(ordering: .relaxed) }

  /// Sets the observer from the next commit on; `nil` for none.
  package func tell(_ new: (any CommitObserver)?) {
    observer.withLock { $0 = new }
    active.store(new != nil, ordering: .relaxed)
  }

  var present: (any CommitObserver)? { observer.withLock { $0 } }
}

/// An observer of commits, called on the committing thread and in the order of the commits. It must not wait.
package protocol CommitObserver: AnyObject, Sendable {
  /// Called under the write lock, before a recorded transaction is committed.
  func willCommit(_ sequence: SequenceNumber, by peer: PeerIdentity)
  /// Called under the write lock, after such a commit has failed.
  func didFail(_ sequence: SequenceNumber, by peer: PeerIdentity)
  /// Called after each commit that has changed anything.
  func didCommit(_ changes: CommittedChanges)
}
