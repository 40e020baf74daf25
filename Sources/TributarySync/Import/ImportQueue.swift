import Synchronization
import TributarySQLite
import TributaryStore

/// The imports into a store that must each be handled at least once, even if the process ends in between.
///
/// The store records each import in the transaction that makes it, and also how far the imports are handled.
/// If the record no longer reaches back to the first import that is waiting, a single import that may have
/// changed everything takes the place of all.
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

  /// Opens the queue. If it was never opened before, in any process, it begins after the last import that any
  /// handler has handled, so that a repaired command gets what the faulty one did not handle. If no import
  /// was handled, it begins with the next one.
  ///
  /// - Parameters:
  ///   - name: the name of what handles the imports, the same in each process.
  ///   - isContinued: whether this process has had the queue open before. If the store has no record of that,
  ///     the store was made anew, and any row may have changed.
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
      // The contents of the store were exchanged, and the record with them.
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
      // One of the two knows: the follower until it passes over the import, and the queue once the import is
      // noted.
      imported.isByAnotherProcess =
        !session.follower.hasMade(entry) && !own.withLock { $0.contains(entry) }
      return Pending(imported: imported, conflicts: conflicts, entry: entry)
    }
  }

  /// Records that an import and all before it are handled.
  package func didHandle(_ pending: Pending) throws {
    try session.store.service { try ImportCursors($0).set(pending.entry, of: name) }
    own.withLock { own in own = own.filter { $0 > pending.entry } }
  }
}
