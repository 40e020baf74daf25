import Synchronization
import TributarySQLite
import TributaryStore

/// Finds out, for one process, what others have imported into the store: each import once, in the
/// order of their commits.
final class ImportFollower: Sendable {
  fileprivate struct State {
    /// The last import that was told, or need not be; `nil` as long as none is known.
    var told: ImportJournal.Entry?
    /// Later ones that this process has made, and tells by itself.
    var own: Set<ImportJournal.Entry> = []
  }

  private let state = Mutex(State())

  /// What has been imported until now is told to nobody.
  func start(_ store: LocalStore) {
    // Where it cannot be read now, it begins with the first look.
    let last = try? store.service { try ImportJournal($0).last() }
    state.withLock { $0.told = last }
  }

  /// Commits what holds an import of this process.
  ///
  /// - Parameter entry: its number; `nil` when it is not in the journal.
  func commit(_ entry: ImportJournal.Entry?, _ commit: () throws -> Void) rethrows {
    // A number counts only when it is committed: another process may get one that was rolled back.
    try state.withLock { state in
      try commit()
      if let entry { state.own.insert(entry) }
    }
  }

  /// What others have imported since the last time.
  ///
  /// - Parameter limit: only what comes before that import.
  /// - Returns: with `mayHaveChangedEverything` in the first when the journal does not reach back
  ///   far enough.
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
      // The store was rebuilt, and its journal has begun anew.
      if told > last { return state.start(at: last) }
      let entries = try journal.entries(after: told)
      var imports: [SyncReport.Imported] = []
      // Each number is used: what is missing was forgotten. Own ones are among them.
      if let first = entries.first, first > told + 1,
        (told + 1..<first).contains(where: { !state.own.contains($0) })
      {
        imports.append(.everything)
      }
      for entry in entries {
        if let limit, entry >= limit { break }
        told = entry
        // They have been told, and are large.
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
