import TributaryContainer
import TributarySQLite
import TributaryStore
import TributarySync

/// Passes what a store does to a function of the application.
struct StoreLog: Sendable {
  let path: String
  let body: (@Sendable (LogEvent) -> Void)?

  func write(_ level: LogEvent.Level, _ message: String, _ metadata: [String: String] = [:]) {
    guard let body else { return }
    var metadata = metadata
    metadata["store"] = path
    body(LogEvent(level: level, message: message, metadata: metadata))
  }

  func write(_ report: SyncReport) {
    guard body != nil else { return }
    if report.published.transactions > 0 {
      write(
        .debug, "published",
        [
          "transactions": "\(report.published.transactions)", "bytes": "\(report.published.bytes)",
        ])
    }
    if report.imported.transactions > 0 || report.imported.mayHaveChangedEverything {
      write(
        .info, "imported",
        [
          "transactions": "\(report.imported.transactions)",
          "peers": report.imported.peers.map { "\($0.peer)" }.joined(separator: " "),
          "conflicts": "\(report.imported.conflicts.count)",
        ])
    }
    if let renewal = report.renewal {
      write(
        .notice, "the store writes under a new identity: \(renewal.evidence)",
        ["former": "\(renewal.former)", "peer": "\(renewal.peer)"])
    }
    for waiting in report.waiting {
      write(
        .notice, "a transaction waits",
        ["peer": "\(waiting.peer)", "sequence": "\(waiting.sequence)", "for": "\(waiting.reason)"])
    }
    for (path, reason) in report.damaged {
      write(.error, "a file was set aside: \(reason)", ["path": path])
    }
    for refusal in report.stopped + report.disagreements + report.keyless {
      write(.warning, "\(refusal)")
    }
    if let failure = report.failure {
      write(.warning, "\(failure)", ["code": Self.code(of: failure)])
    }
  }

  private static func code(of error: any Error) -> String {
    switch error {
    case let error as StoreError: "\(error.code)"
    case let error as SyncError: "\(error.code)"
    case let error as ContainerError: "\(error.code)"
    case let error as SQLiteError: "\(error.code)"
    default: "\(type(of: error))"
    }
  }
}
