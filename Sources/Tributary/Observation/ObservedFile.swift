import Synchronization
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync

/// One database file and the stores of this process that are open on it. They notify each other of their
/// commits.
final class ObservedFile: Sendable {
  private struct Member {
    weak var store: StoreObservation?
    var isObserved = false
  }

  private struct State {
    var members: [ObjectIdentifier: Member] = [:]
    /// The transactions of `peer` that this process has written while it was observed.
    var own = SequenceRanges()
    var peer: PeerIdentity?
    /// The versions of the schema that this process's writes have produced.
    var schemas: [Int64] = []
  }

  private let state = Mutex(State())
  /// Held while this object tells the stores whether they are observed.
  private let telling = Mutex(())

  private struct Known {
    weak var file: ObservedFile?
  }

  private static let known = Mutex<[FileIdentity: Known]>([:])

  /// Returns the object for a file, the same for all stores on it.
  ///
  /// - Parameter identity: `nil` for a file about which nothing is known.
  static func at(_ identity: FileIdentity?) -> ObservedFile {
    guard let identity else { return ObservedFile() }
    return known.withLock { known in
      if let file = known[identity]?.file { return file }
      known = known.filter { $0.value.file != nil }
      let file = ObservedFile()
      known[identity] = Known(file: file)
      return file
    }
  }

  // MARK: Who observes

  func join(_ store: StoreObservation) {
    state.withLock { $0.members[ObjectIdentifier(store)] = Member(store: store) }
    tellMembers()
  }

  func leave(_ store: StoreObservation) {
    state.withLock { $0.members[ObjectIdentifier(store)] = nil }
    tellMembers()
  }

  func setObserved(_ isObserved: Bool, _ store: StoreObservation) {
    state.withLock { $0.members[ObjectIdentifier(store)]?.isObserved = isObserved }
    tellMembers()
  }

  /// Makes all stores on the file report their commits while anyone observes the file.
  private func tellMembers() {
    // The last message that each store gets must be true.
    telling.withLock { _ in
      let (stores, isObserved) = state.withLock { state in
        (
          state.members.values.compactMap(\.store),
          state.members.values.contains { $0.isObserved && $0.store != nil }
        )
      }
      for store in stores { store.tellCommits(isObserved) }
    }
  }

  private var observed: [StoreObservation] {
    state.withLock { $0.members.values.filter(\.isObserved).compactMap(\.store) }
  }

  // MARK: What happens

  func willCommit(_ sequence: SequenceNumber, by peer: PeerIdentity) {
    state.withLock { state in
      if state.peer != peer { state.own.removeAll() }
      state.peer = peer
      state.own.insert(sequence)
    }
  }

  func didFail(_ sequence: SequenceNumber, by peer: PeerIdentity) {
    state.withLock { if $0.peer == peer { $0.own.removeLast(sequence) } }
  }

  func didCommit(_ changes: CommittedChanges, in store: StoreObservation) {
    if let version = changes.schemaVersion {
      state.withLock { state in
        if state.schemas.count >= 100 { state.schemas.removeFirst() }
        state.schemas.append(version)
      }
    }
    for other in observed {
      other.send(StoreChange(changes, origin: other === store ? .write : .otherConnection))
    }
  }

  func didImport(_ imported: SyncReport.Imported) {
    let change = StoreChange(imported)
    // Triggers that maintain tables outside replication have fired.
    for store in observed { store.send(change, unreplicated: true) }
  }

  /// Whether a store of this process has made, or is making, a transaction.
  func hasMade(_ sequence: SequenceNumber, by peer: PeerIdentity) -> Bool {
    state.withLock { $0.peer == peer && $0.own.contains(sequence) }
  }

  /// Whether a store of this process has made an import.
  func hasMade(import entry: Int64) -> Bool {
    let members = state.withLock { $0.members.values.compactMap(\.store) }
    return members.contains { $0.hasMade(import: entry) }
  }

  func hasMade(schemaVersion: Int64) -> Bool {
    state.withLock { $0.schemas.contains(schemaVersion) }
  }
}
