import Synchronization
import TributarySync

/// Logs what a service does for its stores, and runs the commands for their imports.
final class ServiceObserver: SyncServiceObserver {
  private let log: ServiceLog
  private let printer: SyncPrinter
  let commands = RunningCommands()
  /// The number of files that commands may have open; `nil` means as many as this process.
  private let fileLimit: UInt64?
  /// Why stores or their containers cannot be used, by the paths of the stores.
  private let troubles = Mutex<[String: Trouble]>([:])
  /// Why commands on import fail, by the paths of the stores.
  private let handling = Mutex<[String: RepeatedFailures]>([:])

  private struct Trouble {
    var failures = RepeatedFailures()
    /// Whether the log has said that the store is open since the last failure that it reported.
    var isSaidToBeOpen = false
  }

  init(log: ServiceLog, fileLimit: UInt64? = nil) {
    self.log = log
    self.fileLimit = fileLimit
    printer = SyncPrinter(output: log.output, printsJSON: true, isWatching: true)
  }

  func didOpen(_ store: ServedStore) {
    // A store that fails repeatedly may be opened successfully each time.
    let isKnown = troubles.withLock { troubles in
      guard troubles[store.path] != nil else { return false }
      defer { troubles[store.path]?.isSaidToBeOpen = true }
      return troubles[store.path]?.isSaidToBeOpen == true
    }
    if !isKnown { note(.info, "opened", store) }
  }

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
    // Metrics show whether it has recovered. A report of publishing alone says nothing about
    // imports.
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
    try ImportCommand(command, among: commands, fileLimit: fileLimit)
      .run(input: report.json(of: store.path) + "\n")
    let failures = handling.withLock { $0.removeValue(forKey: store.path)?.total }
    if let failures {
      note(.notice, "on-import-recovered", store, [("failures", .number(failures))])
    }
  }

  func didFailToHandle(_ error: any Error, of store: ServedStore) {
    let text = errorText(error)
    let count = handling.withLock { $0[store.path, default: RepeatedFailures()].note(text) }
    if let count { noteFailure("on-import-failed", store, text, count) }
  }

  // MARK: Troubles

  /// The stores that have a problem.
  var troubled: Set<String> { troubles.withLock { Set($0.keys) } }

  /// Logs that a store has recovered, if it had a problem.
  func noteRecovery(of path: String) {
    guard let trouble = troubles.withLock({ $0.removeValue(forKey: path) }) else { return }
    log.write(
      .notice, "recovered",
      [("store", .text(path)), ("failures", .number(trouble.failures.total))])
  }

  /// Forgets a store that is no longer served.
  func forget(_ path: String) {
    troubles.withLock { $0[path] = nil }
    handling.withLock { $0[path] = nil }
  }

  private func noteTrouble(_ text: String, of store: ServedStore) {
    // Each attempt fails in the same way, or in one of a few.
    let count = troubles.withLock { troubles in
      let count = troubles[store.path, default: Trouble()].failures.note(text)
      if count != nil { troubles[store.path]?.isSaidToBeOpen = false }
      return count
    }
    if let count { noteFailure("failed", store, text, count) }
  }

  /// - Parameter count: how often it has occurred.
  private func noteFailure(_ event: String, _ store: ServedStore, _ text: String, _ count: Int) {
    var fields: [(name: String, value: ServiceLog.Field)] = [("message", .text(text))]
    if count > 1 { fields.append(("failures", .number(count))) }
    note(.error, event, store, fields)
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
