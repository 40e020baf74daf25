import Synchronization
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync

/// The observers of one store. While there are none, it does nothing.
final class StoreObservation: Sendable {
  private struct State {
    var changes: [Int: Listening<StoreChange>.Inbox] = [:]
    var values: [Int: WeakInterest] = [:]
    var next = 0
    var watch: (watch: ObservationWatch, thread: WorkerThread)?
    var hasEnded = false

    var isObserved: Bool { !changes.isEmpty || !values.isEmpty }
  }

  private struct WeakInterest: Sendable {
    weak let interest: ValueInterest?
  }

  private let local: LocalStore
  private let session: SyncSession
  private let file: ObservedFile
  private let teller: CommitTeller
  private let state = Mutex(State())
  /// Held while observing begins or ends.
  private let turn = Mutex(())

  init(local: LocalStore, session: SyncSession, file: ObservedFile) {
    self.local = local
    self.session = session
    self.file = file
    teller = CommitTeller(file)
    teller.store.withLock { $0.store = self }
    file.join(self)
  }

  // MARK: Observing

  func listen() -> Listening<StoreChange> {
    let listening = Listening<StoreChange>()
    let inbox = listening.inbox
    let number = add { $0.changes[$1] = inbox }
    guard let number else {
      inbox.signal.finish()
      return listening
    }
    inbox.signal.onTermination = { [weak self] _ in self?.remove(number) }
    return listening
  }

  func add(_ interest: ValueInterest) {
    guard let number = add({ $0.values[$1] = WeakInterest(interest: interest) }) else {
      return interest.end()
    }
    interest.onTermination { [weak self] in self?.remove(number) }
  }

  private func add(_ insert: (inout State, Int) -> Void) -> Int? {
    turn.withLock { _ in
      let (number, begins) = state.withLock { state -> (Int?, Bool) in
        guard !state.hasEnded else { return (nil, false) }
        let begins = !state.isObserved
        state.next += 1
        insert(&state, state.next)
        return (state.next, begins)
      }
      if begins { begin() }
      return number
    }
  }

  var isObserved: Bool { state.withLock(\.isObserved) }

  private func remove(_ number: Int) {
    let watch = state.withLock { state -> ObservationWatch? in
      state.changes[number] = nil
      state.values[number] = nil
      if state.isObserved { return nil }
      return state.watch.take()?.watch
    }
    guard let watch else { return }
    watch.stop()
    turn.withLock { _ in
      if !state.withLock(\.isObserved) { file.setObserved(false, self) }
    }
  }

  private func begin() {
    file.setObserved(true, self)
    // If no watch can be made, this process reports only what it does itself.
    guard let watch = try? ObservationWatch(local: local, session: session, file: file) else {
      return
    }
    watch.store.withLock { $0.store = self }
    guard let thread = try? WorkerThread(name: "tributary-watch", { watch.run() }) else { return }
    let isUnwanted = state.withLock { state in
      if state.hasEnded || state.watch != nil || !state.isObserved { return true }
      state.watch = (watch, thread)
      return false
    }
    if isUnwanted { watch.stop() }
  }

  /// Ends all sequences.
  ///
  /// - Parameter waits: whether to wait for the thread.
  func end(waits: Bool) {
    let (changes, values, watch) = state.withLock { state in
      state.hasEnded = true
      defer {
        state.changes.removeAll()
        state.values.removeAll()
        state.watch = nil
      }
      return (
        Array(state.changes.values), state.values.values.compactMap(\.interest), state.watch
      )
    }
    file.leave(self)
    tellCommits(false)
    for inbox in changes { inbox.signal.finish() }
    for interest in values { interest.end() }
    watch?.watch.stop()
    if waits, let thread = watch?.thread, !thread.isCurrent { thread.join() }
  }

  // MARK: Telling

  /// Makes the store report its commits, or stop reporting them.
  func tellCommits(_ tells: Bool) { local.observation.tell(tells ? teller : nil) }

  func hasMade(import entry: Int64) -> Bool { session.hasMade(import: entry) }

  func didImport(_ imported: SyncReport.Imported) { file.didImport(imported) }

  /// Sends a change to all observers.
  ///
  /// - Parameter unreplicated: whether tables that are not replicated may have changed, too.
  func send(_ change: StoreChange, unreplicated: Bool = false) {
    let (changes, values) = state.withLock {
      (Array($0.changes.values), $0.values.values.compactMap(\.interest))
    }
    for inbox in changes { inbox.send(change) }
    for interest in values { interest.note(change, unreplicated: unreplicated) }
  }

  /// Notes a commit that no record explains: only tables that are not replicated can have changed.
  func noteUnexplained() {
    let values = state.withLock { $0.values.values.compactMap(\.interest) }
    for interest in values {
      interest.note(StoreChange(origin: .otherConnection), unreplicated: true)
    }
  }
}

/// A reference that does not keep its object alive.
struct WeakObservation {
  weak var store: StoreObservation?
}

/// Notifies a file's observers of the commits of one of its stores. The store may be released
/// first.
private final class CommitTeller: CommitObserver {
  let store = Mutex(WeakObservation())
  private let file: ObservedFile

  init(_ file: ObservedFile) { self.file = file }

  func willCommit(_ sequence: SequenceNumber, by peer: PeerIdentity) {
    file.willCommit(sequence, by: peer)
  }

  func didFail(_ sequence: SequenceNumber, by peer: PeerIdentity) {
    file.didFail(sequence, by: peer)
  }

  func didCommit(_ changes: CommittedChanges) {
    guard let store = store.withLock(\.store) else { return }
    file.didCommit(changes, in: store)
  }
}
