import Synchronization
import TributarySync

/// Those who listen to what happens in a store.
final class Announcements: Sendable {
  /// Observers of all changes, including those that are not imports.
  private let observation = Mutex(WeakObservation())
  let changes = Broadcast<ImportChange>()
  let conflicts = Broadcast<ConflictNews>()
  let reports = Broadcast<SyncReport>()
  /// The notifications.
  let deliveries = Deliveries()

  /// Announces what a committed import has brought. The notification is delivered later.
  func send(_ imported: SyncReport.Imported) {
    // Imports by other processes are announced as they happen, whether or not this process
    // synchronises.
    if !imported.isByAnotherProcess, !imported.changes.isEmpty || imported.mayHaveChangedEverything
    {
      observation.withLock(\.store)?.didImport(imported)
    }
    if imported.transactions > 0 || !imported.changes.isEmpty || imported.mayHaveChangedEverything {
      let change = ImportChange(imported)
      changes.send(change)
      deliveries.add(change)
    }
    if !imported.conflicts.isEmpty {
      conflicts.send(ConflictNews(conflicts: imported.conflicts))
    }
  }

  func tellImports(to observation: StoreObservation) {
    self.observation.withLock { $0.store = observation }
  }

  func end() {
    deliveries.end()
    changes.end()
    conflicts.end()
    reports.end()
  }
}
