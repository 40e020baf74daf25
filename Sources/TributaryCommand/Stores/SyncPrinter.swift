import TributaryCore
import TributarySync

/// Tells what synchronisations did. Several threads may share it: each report is printed as a
/// whole.
struct SyncPrinter: Sendable {
  let output: Output
  let printsJSON: Bool
  let onImport: ImportCommand?
  /// In a watch there is a line for what was done, and none for what could not be.
  var isWatching = false

  /// Prints a report and tells the command of the user.
  ///
  /// - Returns: the status that stands for it.
  func print(_ report: SyncReport, of store: String) throws -> ExitStatus {
    if printsJSON {
      if report.isProductive || !isWatching { try output.line(json(report, of: store)) }
    } else if report.failure == nil || report.isProductive {
      try output.confirm(text(report, of: store))
    }
    try output.flush()
    output.report(damaged: report.damaged)
    if let failure = report.failure { output.problem(errorText(failure)) }
    if let onImport, report.imported.transactions > 0 || report.imported.mayHaveChangedEverything {
      do {
        try onImport.run(input: json(report, of: store) + "\n")
      } catch {
        output.problem(errorText(error))
      }
    }
    return report.failure != nil ? .failed : report.damaged.isEmpty ? .done : .damage
  }

  /// Reports that a store could not be synchronised at all.
  func fail(_ error: any Error) -> ExitStatus {
    output.problem(errorText(error))
    return .failed
  }

  private func json(_ report: SyncReport, of store: String) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("store", store)
      json.member("published") { json in
        json.object { json in
          json.member("transactions", report.published.transactions)
          json.member("segments", report.published.segments)
          json.member("bytes", report.published.bytes)
        }
      }
      json.member("imported") { report.imported.write(to: &$0) }
      json.member("waiting") { json in
        json.array { json in for waiting in report.waiting { waiting.write(to: &json) } }
      }
      json.member("conflicts", report.conflicts)
    }
    return json.text
  }

  private func text(_ report: SyncReport, of store: String) -> String {
    var parts: [String] = []
    if report.published.transactions > 0 || report.published.segments > 0 {
      parts.append(
        "published \(counted(report.published.transactions, "transaction")) "
          + "in \(counted(report.published.segments, "segment"))")
    }
    if report.imported.transactions > 0 {
      parts.append(
        "imported \(counted(report.imported.transactions, "transaction")) "
          + "from \(counted(report.imported.peers.count, "peer")): \(changes(report.imported))"
          + (report.imported.isByAnotherProcess ? ", by another process" : ""))
    }
    if report.imported.mayHaveChangedEverything {
      parts.append("another process has imported more than is remembered: any row may have changed")
    }
    if parts.isEmpty { parts.append(report.failure == nil ? "nothing new" : "not synchronised") }
    if report.conflicts > 0 { parts.append(counted(report.conflicts, "conflict")) }
    let first = "\(store): " + parts.joined(separator: ", ")
    return ([first] + report.waiting.map { "  \($0)" }).map(output.shown).joined(separator: "\n")
  }

  private func changes(_ imported: SyncReport.Imported) -> String {
    var counts = [("inserted", 0), ("updated", 0), ("deleted", 0)]
    for (_, changes) in imported.changes {
      counts[0].1 += changes.inserted.count
      counts[1].1 += changes.updated.count
      counts[2].1 += changes.deleted.count
    }
    let some = counts.filter { $0.1 > 0 }
    if some.isEmpty { return "no row changed" }
    return some.map { "\(counted($0.1, "row")) \($0.0)" }.joined(separator: ", ")
  }
}

extension SyncReport {
  /// Whether anything was published or imported.
  fileprivate var isProductive: Bool {
    published.transactions > 0 || published.segments > 0 || imported.transactions > 0
      || imported.mayHaveChangedEverything
  }
}

extension Output {
  /// Names the files that were set aside.
  func report(damaged files: [(path: String, reason: String)]) {
    for file in files {
      // The engine's reasons name the file by themselves where they are whole sentences.
      let isNamed = file.reason.hasPrefix(file.path)
      problem("set aside: \(isNamed ? file.reason : "\(file.path): \(file.reason)")")
    }
  }
}
