import Synchronization
import TributarySQLite
import TributaryStore

/// The imports into a store that must be handled at least once each, also if the process ends in between.
///
/// The store records each import in the transaction that makes it, and how far they are handled. Where so many are
/// waiting that the record does not reach back far enough, one takes their place that may have changed everything.
package final class ImportQueue: Sendable {
  /// An import that is to be handled.
  package struct Pending: Sendable {
    package var imported: SyncReport.Imported
    /// The number of open conflicts of the store.
    package var conflicts: Int
    fileprivate var entry: Int64
  }

  private let session: SyncSession
  private let name: String
  /// The imports that this process has made and not yet handled.
  private let own = Mutex<Set<Int64>>([])

  /// Stands for an import of unknown contents.
  private static let everything: Int64 = -1

  /// Opens the queue. Unless it was opened before, in whatever process, it begins after the last import that anybody has
  /// handled, so that a command that was mended gets what the faulty one did not; and if nobody has, with the next import.
  ///
  /// - Parameters:
  ///   - name: who handles the imports, the same in each process.
  ///   - isContinued: whether this process has had the queue open before: if the store knows nothing of that, it was made
  ///     anew, and any row may have changed.
  package init(_ session: SyncSession, name: String, isContinued: Bool = false) throws {
    self.session = session
    self.name = name
    try session.store.service { connection in
      let cursors = ImportCursors(connection)
      if try cursors.entry(of: name) == nil {
        try cursors.set(
          isContinued
            ? Self.everything : cursors.latest() ?? ImportJournal(connection).last(), of: name)
      }
    }
  }

  /// Records an import of this session that was just made.
  package func note(_ imported: SyncReport.Imported) throws {
    if let entry = imported.entry {
      if !imported.isByAnotherProcess { own.withLock { _ = $0.insert(entry) } }
    } else if imported.mayHaveChangedEverything, !imported.isByAnotherProcess {
      // The contents were exchanged, and the record with them.
      try session.store.service { try ImportCursors($0).set(Self.everything, of: name) }
    }
  }

  /// Returns the number of imports that are not handled yet.
  package func count() throws -> Int {
    try session.store.service { connection in
      let journal = ImportJournal(connection)
      let last = try journal.last()
      guard let handled = try ImportCursors(connection).entry(of: name), handled >= 0,
        handled <= last
      else { return 1 }
      return try journal.entries(after: handled).count
    }
  }

  /// Returns the first import that is not handled yet; `nil` if all are.
  package func next() throws -> Pending? {
    try session.store.service { connection in
      let journal = ImportJournal(connection)
      let last = try journal.last()
      let handled = try ImportCursors(connection).entry(of: name)
      if handled == last { return nil }
      let conflicts = try ConflictTable(connection).count()
      guard let handled, handled >= 0, handled < last,
        let entry = try journal.entries(after: handled).first, entry == handled + 1
      else {
        // The record does not reach back that far, or has started over.
        return Pending(imported: .everything, conflicts: conflicts, entry: last)
      }
      var imported = try journal.imported(entry)
      // Either knows: the follower until it passes over the import, and the queue from the moment it is told.
      imported.isByAnotherProcess =
        !session.follower.hasMade(entry) && !own.withLock { $0.contains(entry) }
      return Pending(imported: imported, conflicts: conflicts, entry: entry)
    }
  }

  /// Records that an import is handled, and all before it.
  package func didHandle(_ pending: Pending) throws {
    try session.store.service { try ImportCursors($0).set(pending.entry, of: name) }
    own.withLock { own in own = own.filter { $0 > pending.entry } }
  }
}
