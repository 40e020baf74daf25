import TributaryCommand
import TributaryCore
import TributarySync

/// Problems found by a synchronisation that will not resolve themselves, although it did the rest.
struct DamageError: TributaryError {
  let details: ErrorDetails

  /// Returns `nil` if there is nothing of that kind.
  init?(_ report: SyncReport) {
    let stopped = report.stopped.map { "\($0)" }
    let delays = report.delays.filter(\.needsHelp).map { "\($0)" }
    self.init(files: report.damaged, others: stopped + delays)
  }

  /// Returns `nil` if there is nothing of that kind.
  init?(files: [(path: String, reason: String)], others: [String] = []) {
    let aside = files.map(SetAsideFile.text)
    guard !(aside + others).isEmpty else { return nil }
    details = ErrorDetails(
      .damaged, (aside + others).joined(separator: "; "), remedy: "run `tributary doctor`")
  }
}
