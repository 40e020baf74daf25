/// The listeners to what happens in a store.
struct Announcements: Sendable {
  let changes = Broadcast<ImportChange>()
  let conflicts = Broadcast<ConflictNews>()
  let reports = Broadcast<SyncReport>()
  /// The notifications.
  let deliveries = Deliveries()

  /// Announces what a commit of an import has brought. The notification is delivered later.
  func send(_ imported: SyncReport.Imported) {
    if imported.transactions > 0 || !imported.changes.isEmpty || imported.mayHaveChangedEverything {
      let change = ImportChange(imported)
      changes.send(change)
      deliveries.add(change)
    }
    if !imported.conflicts.isEmpty {
      conflicts.send(ConflictNews(conflicts: imported.conflicts))
    }
  }

  func end() {
    deliveries.end()
    changes.end()
    conflicts.end()
    reports.end()
  }
}
