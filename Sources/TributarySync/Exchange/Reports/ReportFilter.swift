/// Makes a watch report each thing once.
struct ReportFilter {
  private var last: [String] = []

  /// Whether a report contains anything that the previous one did not.
  mutating func passes(_ report: SyncReport) -> Bool {
    var troubles =
      report.waiting.map(\.description) + report.delays.map(\.description)
      + report.damaged.map { "\($0.path): \($0.reason)" } + report.arriving.map(\.path)
      + report.stopped.map(\.description)
    if let failure = report.failure { troubles.append("\(failure)") }
    defer { last = troubles }
    return report.renewal != nil || report.uncaptured != nil || !report.keyless.isEmpty
      || report.published.transactions > 0 || report.imported.transactions > 0
      || troubles != last && !troubles.isEmpty
  }
}
