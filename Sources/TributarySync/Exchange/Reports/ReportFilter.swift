/// Makes a watch report each thing once.
package struct ReportFilter {
  private var last: [String] = []
  private var wasOverLimit = false

  package init() {}

  /// Removes from a report what the previous one already said about the limit of disk use.
  package mutating func withoutRepetition(_ report: SyncReport) -> SyncReport {
    var report = report
    let isOverLimit = report.space != nil
    if wasOverLimit { report.space = nil }
    wasOverLimit = isOverLimit
    return report
  }

  /// Whether a report contains anything that the previous one did not.
  mutating func passes(_ report: SyncReport) -> Bool {
    var troubles =
      report.waiting.map(\.description) + report.delays.map(\.description)
      + report.damaged.map { "\($0.path): \($0.reason)" } + report.arriving.map(\.path)
      + report.stopped.map(\.description) + report.keyless.map(\.description)
    if let failure = report.failure { troubles.append("\(failure)") }
    defer { last = troubles }
    return report.renewal != nil || report.returned != nil || report.uncaptured != nil
      || report.space != nil
      || report.published.transactions > 0 || !report.imported.isEmpty
      || troubles != last && !troubles.isEmpty
  }
}
