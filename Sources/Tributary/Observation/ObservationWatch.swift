import Glibc
import Synchronization
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync

/// Watches the files of a store for the commits of other processes, on a separate thread.
final class ObservationWatch: Sendable {
  let store = Mutex(WeakObservation())
  private let local: LocalStore
  private let session: SyncSession
  private let file: ObservedFile
  private let watcher: Watcher
  /// The file itself, beside which its log is; the path of the store may be a link to it.
  private let path: String
  private let isStopped = Atomic(false)
  /// The state of the store when it was first asked for changes; `nil` if it could not be read then.
  private let start: ObservedState?

  /// The store is checked after this time where changes cannot be watched, and in case one was missed.
  private static let interval = 2000
  /// The journal has at most this many imports.
  private static let importLimit: Int64 = 1000
  /// Commits within this time are examined together.
  private static let pause: UInt32 = 3000

  init(local: LocalStore, session: SyncSession, file: ObservedFile) throws {
    self.local = local
    self.session = session
    self.file = file
    watcher = try Watcher()
    // If the store cannot be read now, it is still checked after each interval.
    path = (try? local.service { $0.filePath }) ?? local.path
    // Otherwise the first check finds out the state.
    start = try? local.observedState()
  }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
    watcher.wake()
  }

  /// What the last checks have shown.
  private struct Sight {
    var state: ObservedState?
    /// Whether it is still unknown if another program has committed.
    var isUnchecked = false
    /// Whether one of the commits to be checked is not explained by a record.
    var isUnexplained = false
    /// Whether another program has written something that no process has recorded yet.
    var isDue = false
  }

  /// Checks the store after each change of the files, until stopped or the store is closed.
  func run() {
    var seen = Sight(state: start)
    while !isStopped.load(ordering: .relaxed) {
      // Watching the same file again changes nothing, but the log may have been recreated. Without a watch, a
      // check follows after each interval.
      _ = try? watcher.watch(path, [.modified])
      _ = try? watcher.watch(path + "-wal", [.modified])
      do {
        try look(&seen)
      } catch let error as StoreError where error.code == .closed {
        return
      } catch {
        // A store that cannot be read now is checked again, which shows whatever has happened.
      }
      if isStopped.load(ordering: .relaxed) { return }
      // No events mean that the time is over. If the watcher fails, it cannot be waited for: the thread ends,
      // and the store still reports imports and its own writes.
      guard let events = try? watcher.wait(timeoutMilliseconds: Self.interval) else { return }
      if !events.events.isEmpty { usleep(Self.pause) }
    }
  }

  private func look(_ seen: inout Sight) throws {
    let present = try local.observedState()
    guard let earlier = seen.state else {
      seen.state = present
      return
    }
    guard let store = store.withLock(\.store) else { return }
    if earlier != present {
      let isExplained = try tell(from: earlier, to: present, store)
      seen.state = present
      seen.isUnchecked = true
      if isExplained {
        // A record does not rule out another commit besides it.
        store.noteUnexplained()
      } else {
        seen.isUnexplained = true
      }
    }
    guard seen.isUnchecked else { return }
    try tellForeign(&seen, store)
    seen.isUnchecked = false
    seen.isUnexplained = false
  }

  /// Reports what others have recorded.
  ///
  /// - Returns: whether a record explains the commit that was noticed.
  private func tell(
    from earlier: ObservedState, to present: ObservedState, _ store: StoreObservation
  ) throws -> Bool {
    if present.peer != earlier.peer || present.sequence < earlier.sequence
      || present.entry < earlier.entry
    {
      store.send(.everything(.otherConnection))
      return true
    }
    var isExplained = false
    if present.schemaVersion != earlier.schemaVersion {
      isExplained = true
      if !file.hasMade(schemaVersion: present.schemaVersion) {
        store.send(.everything(.otherConnection))
      }
    }
    if present.entry > earlier.entry {
      isExplained = true
      try tellImports(after: earlier.entry, through: present.entry, store)
    }
    if present.sequence > earlier.sequence {
      isExplained = true
      try tellWrites(from: earlier, to: present, store)
    }
    return isExplained
  }

  private func tellImports(
    after earlier: Int64, through last: Int64, _ store: StoreObservation
  ) throws {
    for entry in max(earlier + 1, last - Self.importLimit)...last where !file.hasMade(import: entry)
    {
      // If an entry was removed, everything may have changed.
      store.send(StoreChange(try session.journalled(import: entry)), unreplicated: true)
    }
  }

  private func tellWrites(
    from earlier: ObservedState, to present: ObservedState, _ store: StoreObservation
  ) throws {
    var first = earlier.sequence
    // Runs of transactions that others have made.
    func tell(through last: SequenceNumber) throws {
      guard last > first else { return }
      var change = StoreChange(
        try local.recordedChanges(after: first, through: last), origin: .otherConnection)
      if earlier.hasHeldRows || present.hasHeldRows { change.mayHaveChangedEverything = true }
      store.send(change, unreplicated: true)
    }
    var number = earlier.sequence
    while number < present.sequence {
      number = number.next
      guard file.hasMade(number, by: present.peer) else { continue }
      try tell(through: SequenceNumber(number.rawValue - 1))
      first = number
    }
    try tell(through: present.sequence)
  }

  /// Finds out whether another program has committed.
  ///
  /// - Throws: also if another writer holds the write lock. Its commit leads to the next check.
  private func tellForeign(_ seen: inout Sight, _ store: StoreObservation) throws {
    // Recording what triggers have captured is itself a transaction, which the next check reaches.
    try local.recordForeignWrites()
    let isDue = try local.hasUncapturedWrites()
    if isDue, !seen.isDue || seen.isUnexplained {
      store.send(.everything(.otherConnection))
    } else if seen.isUnexplained {
      store.noteUnexplained()
    }
    seen.isDue = isDue
  }
}
