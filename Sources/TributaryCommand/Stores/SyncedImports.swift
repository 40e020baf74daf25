import TributarySync

/// Runs the user's command for the imports of one synchronisation, and for earlier imports for which the
/// command did not succeed.
struct SyncedImports {
  private let queue: ImportQueue
  private let store: String
  private let command: ImportCommand
  private let printer: SyncPrinter

  /// Opens the queue before the synchronisation.
  init(_ session: SyncSession, _ store: String, _ command: String, _ printer: SyncPrinter) throws {
    queue = try ImportQueue(session, name: command)
    self.store = store
    self.command = ImportCommand(command)
    self.printer = printer
  }

  func note(_ imported: SyncReport.Imported) throws { try queue.note(imported) }

  /// Runs the command for each import until it fails. The failed import and the later ones follow with the
  /// next synchronisation.
  func run() throws {
    while let pending = try queue.next() {
      var report = SyncReport()
      report.imported = pending.imported
      report.conflicts = pending.conflicts
      do {
        try command.run(input: report.json(of: store) + "\n")
      } catch {
        _ = printer.fail(error)
        return
      }
      try queue.didHandle(pending)
    }
  }
}
