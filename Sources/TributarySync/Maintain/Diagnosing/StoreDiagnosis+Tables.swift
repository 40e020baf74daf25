import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Examines the application's tables and what was written into them.
extension StoreDiagnosis {
  /// Examines which tables cannot be replicated as they are.
  func tables(_ findings: inout Findings) throws {
    func warn(_ message: String, remedy: String) {
      findings.warn(.table, path: path, "\(path): \(message)", remedy: remedy)
    }
    for table in try schema().tables {
      if let refusal = table.refusal {
        warn("\(refusal.message): it is not replicated", remedy: refusal.remedy)
      } else if let keyless = try KeylessRows(connection).refusal(of: table) {
        warn(keyless.message, remedy: keyless.remedy)
      }
    }
    for stopped in try StoppedTables(connection).findings() {
      warn(stopped.message, remedy: stopped.remedy)
    }
    for item in try UnmadeObjects(connection).leftOut() {
      warn(
        "left out: \(item)",
        remedy:
          "give the extension that has what is missing: `tributary attach` with --load-extension")
    }
    if let text = try StoreExtensions(connection, birth: environment.birth).finding() {
      warn(
        text,
        remedy: "name the extensions that this file needs with `tributary attach --load-extension`")
    }
  }

  /// Examines which triggers do not fire on an import although they would have to.
  func triggers(_ findings: inout Findings) throws {
    let triggers = ImportTriggers(connection)
    for refusal in try triggers.findings() {
      findings.warn(.trigger, path: path, refusal.message, remedy: refusal.remedy)
    }
    for text in try triggers.notes() {
      findings.note(
        .trigger, path: path, text,
        remedy: "nothing needs to be done where every device has the trigger")
    }
  }

  /// Examines what other programs have written: what is not recorded yet, and what nothing captured.
  func foreignWrites(_ findings: inout Findings) throws {
    let comparison = LogComparison(path: path, environment: environment)
    for found in try ForeignWrites(connection, comparison: comparison).findings() {
      findings.add(found)
    }
  }

  /// Examines whether the store's own stamps are ahead of the present time.
  func clock(_ findings: inout Findings) throws {
    let now = environment.clock.milliseconds()
    guard let ahead = try StampsAhead(connection).finding(at: now) else { return }
    findings.warn(.clock, path: path, ahead.message, remedy: ahead.remedy)
  }

  /// Counts the own transactions that are in no segment yet.
  func unpublished(_ findings: inout Findings) throws {
    let last = try last()
    let published = try SegmentTable(connection).last()
    guard last > published else { return }
    let first = try Outbox(connection).records(from: published.next, to: published.next).first?.time
    let since =
      first.map {
        $0 == .zero ? "" : ", the first of \(Timestamp.text(milliseconds: $0.milliseconds))"
      } ?? ""
    findings.note(
      .unpublished, path: path,
      "this store has not published \(PeerText.transactions(last.rawValue - published.rawValue)) yet\(since)",
      remedy: Remedy.sync)
  }
}
