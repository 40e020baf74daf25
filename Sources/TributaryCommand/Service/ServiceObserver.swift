import Synchronization
import TributarySync

/// Logs what a service does for its stores, and runs the commands for their imports.
final class ServiceObserver: SyncServiceObserver {
  private let log: ServiceLog
  private let printer: SyncPrinter
  let commands = RunningCommands()
  /// Why stores cannot be used, or their containers, by their paths.
  private let troubles = Mutex<[String: String]>([:])

  init(log: ServiceLog) {
    self.log = log
    printer = SyncPrinter(output: log.output, printsJSON: true, isWatching: true)
  }

  func didOpen(_ store: ServedStore) { note(.info, "opened", store) }

  func didReport(_ report: SyncReport, of store: ServedStore) {
    if report.published.transactions > 0 || report.published.segments > 0 {
      note(
        .info, "published", store,
        [
          ("transactions", .number(report.published.transactions)),
          ("segments", .number(report.published.segments)),
          ("bytes", .number(report.published.bytes)),
        ])
    }
    noteImport(report, of: store)
    for file in report.damaged {
      note(
        .warning, "damaged", store, [("file", .text(file.path)), ("reason", .text(file.reason))])
    }
    for file in report.arriving { note(.info, "arriving", store, [("file", .text(file.path))]) }
    for delay in report.delays where delay.needsHelp { say(.warning, "waiting", store, delay) }
    for table in report.stopped { say(.warning, "table-stopped", store, table) }
    for text in report.disagreements { say(.warning, "disagreement", store, text) }
    for rows in report.keyless { say(.warning, "keyless", store, rows) }
    if let found = report.uncaptured { say(.notice, "uncaptured", store, found) }
    if let notice = report.space { say(.warning, "space-limit", store, notice) }
    if let renewal = report.renewal {
      note(
        .notice, "renewed", store,
        [
          ("former", .text(renewal.former.description)), ("peer", .text(renewal.peer.description)),
          ("reason", .text(renewal.evidence)),
        ])
    }
    if let returned = report.returned {
      note(.notice, "returned", store, [("transactions", .number(returned.reissued))])
    }
    // Metrics show whether it has recovered: one that has only published says nothing of imports.
    if let failure = report.failure { noteTrouble(errorText(failure), of: store) }
  }

  private func noteImport(_ report: SyncReport, of store: ServedStore) {
    let imported = report.imported
    guard imported.transactions > 0 || imported.mayHaveChangedEverything else { return }
    let rows = imported.changes.map { _, changes in
      changes.inserted.count + changes.updated.count + changes.deleted.count
    }
    var fields: [(name: String, value: ServiceLog.Field)] = [
      ("transactions", .number(imported.transactions)), ("peers", .number(imported.peers.count)),
      ("rows", .number(rows.reduce(0, +))), ("conflicts", .number(report.conflicts)),
    ]
    if imported.isByAnotherProcess { fields.append(("elsewhere", .text("true"))) }
    note(.info, "imported", store, fields)
  }

  func didFail(_ error: any Error, of store: ServedStore) -> Bool {
    noteTrouble(errorText(error), of: store)
    return true
  }

  func handle(_ report: SyncReport, of store: ServedStore) throws {
    guard let command = store.onImport else { return }
    try ImportCommand(command, among: commands).run(input: report.json(of: store.path) + "\n")
  }

  func didFailToHandle(_ error: any Error, of store: ServedStore) {
    note(.error, "on-import-failed", store, [("message", .text(errorText(error)))])
  }

  // MARK: Troubles

  /// The stores that are in trouble.
  var troubled: Set<String> { troubles.withLock { Set($0.keys) } }

  /// Logs that a store is in order again, if it was not.
  func noteRecovery(of path: String) {
    guard troubles.withLock({ $0.removeValue(forKey: path) }) != nil else { return }
    log.write(.notice, "recovered", [("store", .text(path))])
  }

  /// Forgets a store that is not served any more.
  func forget(_ path: String) { troubles.withLock { $0[path] = nil } }

  private func noteTrouble(_ text: String, of store: ServedStore) {
    // Each attempt fails in the same way.
    let isKnown = troubles.withLock { $0.updateValue(text, forKey: store.path) == text }
    if !isKnown { note(.error, "failed", store, [("message", .text(text))]) }
  }

  private func say(
    _ level: ServiceLog.Level, _ event: String, _ store: ServedStore, _ what: some Any
  ) {
    note(level, event, store, [("message", .text("\(what)"))])
  }

  private func note(
    _ level: ServiceLog.Level, _ event: String, _ store: ServedStore,
    _ fields: [(name: String, value: ServiceLog.Field)] = []
  ) {
    log.write(level, event, [("store", .text(store.path))] + fields)
  }
}
