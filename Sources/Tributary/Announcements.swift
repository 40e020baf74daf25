/// Who is told of what happens in a store.
struct Announcements: Sendable {
  let changes = Broadcast<ImportChange>()
  let conflicts = Broadcast<[Conflict]>()
  let reports = Broadcast<SyncReport>()

  /// Tells what a commit of an import has brought.
  ///
  /// - Parameter post: is called with what there is to tell of an import.
  func send(_ imported: SyncReport.Imported, post: (ImportChange) -> Void) {
    if imported.transactions > 0 || imported.mayHaveChangedEverything {
      let change = ImportChange(imported)
      changes.send(change)
      post(change)
    }
    if !imported.conflicts.isEmpty { conflicts.send(imported.conflicts) }
  }

  func end() {
    changes.end()
    conflicts.end()
    reports.end()
  }
}
