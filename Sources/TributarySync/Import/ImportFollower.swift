import Synchronization
import TributarySQLite
import TributaryStore

/// Finds out, for one process, what other processes have imported into the store: each import once, in the
/// order of the commits.
final class ImportFollower: Sendable {
  fileprivate struct State {
    /// The last import that was reported, or need not be; `nil` if none is known.
    var told: ImportJournal.Entry?
    /// Later imports that this process has made and reports itself.
    var own: Set<ImportJournal.Entry> = []
    /// The latest imports that this process has made, the last one at the end.
    var made: [ImportJournal.Entry] = []
  }

  /// How many imports of this process are remembered.
  private static let madeLimit = 1000

  private let state = Mutex(State())

  /// Starts following. Earlier imports are not reported.
  func start(_ store: LocalStore) {
    // If the journal cannot be read now, following starts with the first look.
    let last = try? store.service { try ImportJournal($0).last() }
    state.withLock { $0.told = last }
  }

  /// Commits a transaction that contains an import of this process.
  ///
  /// - Parameter entry: its number; `nil` if it is not in the journal.
  func commit(_ entry: ImportJournal.Entry?, _ commit: () throws -> Void) rethrows {
    // A number counts only after the commit: if an import is rolled back, another process may get its number.
    try state.withLock { state in
      try commit()
      guard let entry else { return }
      state.own.insert(entry)
      if state.made.count >= 2 * Self.madeLimit { state.made.removeFirst(Self.madeLimit) }
      state.made.append(entry)
    }
  }

  /// Whether this process has made an import through this follower. Waits for an import that is being
  /// committed.
  func hasMade(_ entry: ImportJournal.Entry) -> Bool {
    state.withLock { $0.made.contains(entry) }
  }

  /// Returns what other processes have imported since the last call.
  ///
  /// - Parameter limit: only imports before this one are returned.
  /// - Returns: the imports; the first one has `mayHaveChangedEverything` if the journal does not
  ///   reach back far enough.
  func imports(
    _ connection: Connection, before limit: ImportJournal.Entry? = nil
  ) throws -> [SyncReport.Imported] {
    try state.withLock { state in
      let journal = ImportJournal(connection)
      let last = try journal.last()
      guard var told = state.told else {
        state.told = last
        return []
      }
      if told == last { return [] }
      // The store was rebuilt, and its journal has started over.
      if told > last { return state.start(at: last) }
      let entries = try journal.entries(after: told)
      var imports: [SyncReport.Imported] = []
      // All numbers are used, so missing entries were removed. Own imports are among the entries.
      if let first = entries.first, first > told + 1,
        (told + 1..<first).contains(where: { !state.own.contains($0) })
      {
        imports.append(.everything)
      }
      for entry in entries {
        if let limit, entry >= limit { break }
        told = entry
        // Own imports have been reported, and are large.
        if state.own.contains(entry) { continue }
        var imported = try journal.imported(entry)
        imported.isByAnotherProcess = true
        imports.append(imported)
      }
      state.told = told
      state.own = state.own.filter { $0 > told }
      return imports
    }
  }
}

extension ImportFollower.State {
  fileprivate mutating func start(at entry: ImportJournal.Entry) -> [SyncReport.Imported] {
    told = entry
    own.removeAll()
    return [.everything]
  }
}
