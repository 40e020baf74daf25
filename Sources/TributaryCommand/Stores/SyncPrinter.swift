import TributarySync

/// Prints what synchronisations did. Several threads may share it, since each report is printed as
/// a whole.
struct SyncPrinter: Sendable {
  let output: Output
  let printsJSON: Bool
  /// Whether this is a watch, which prints a line for what was done and none for what could not be
  /// done.
  var isWatching = false

  /// Prints a report.
  ///
  /// - Returns: the corresponding exit status.
  func print(_ report: SyncReport, of store: String) throws -> ExitStatus {
    if printsJSON {
      if report.isProductive || !isWatching { try output.line(report.json(of: store)) }
    } else if report.failure == nil || report.isProductive {
      try output.confirm(text(report, of: store))
    }
    try output.flush()
    output.report(damaged: report.damaged)
    for file in report.arriving {
      output.note(
        "\(store): \(file.path) has not arrived whole yet; it is imported by itself when it has")
    }
    if let found = report.uncaptured {
      output.note("\(store): \(found); it was found by comparison with the logs, and is recorded")
    }
    for table in report.stopped { output.problem("\(store): \(table)") }
    if let error = report.hindrance {
      output.warn("\(store): no room could be made: \(errorText(error))")
    }
    if let notice = report.space { output.warn("\(store): \(notice)") }
    for disagreement in report.disagreements { output.warn("\(store): \(disagreement)") }
    for rows in report.keyless { output.note("\(store): \(rows)") }
    // Even if the output is JSON or quiet.
    for delay in report.delays where delay.needsHelp { output.problem("\(store): \(delay)") }
    if let failure = report.failure { output.problem(errorText(failure)) }
    return report.exitStatus
  }

  /// Reports that a store could not be synchronised at all.
  func fail(_ error: any Error) -> ExitStatus {
    output.problem(errorText(error))
    return .failed
  }

  private func text(_ report: SyncReport, of store: String) -> String {
    var parts: [String] = []
    if report.published.transactions > 0 || report.published.segments > 0 {
      parts.append(
        "published \(counted(report.published.transactions, "transaction")) "
          + "in \(counted(report.published.segments, "segment"))")
    }
    if let baseline = report.baseline {
      parts.append(
        "wrote a baseline of \(counted(baseline.transactions, "transaction")) "
          + "from \(counted(baseline.peers, "peer"))")
    }
    if report.imported.transactions > 0 {
      parts.append(
        "imported \(counted(report.imported.transactions, "transaction")) "
          + "from \(counted(report.imported.peers.count, "peer")): \(changes(report.imported))"
          + (report.imported.isByAnotherProcess ? ", by another process" : ""))
    }
    if report.imported.mayHaveChangedEverything {
      parts.append(
        report.returned != nil
          ? "any row may have changed"
          : "another process has imported more than is remembered: any row may have changed")
    }
    if parts.isEmpty {
      let isIncomplete =
        !(report.waiting.isEmpty && report.delays.isEmpty && report.damaged.isEmpty
        && report.arriving.isEmpty)
      parts.append(
        report.failure != nil
          ? "not synchronised" : isIncomplete ? "nothing could be imported" : "nothing new")
    }
    if report.conflicts > 0 { parts.append(counted(report.conflicts, "conflict")) }
    let first = "\(store): " + parts.joined(separator: ", ")
    var lines = [first] + report.imported.schemas.flatMap(\.lines)
    lines += report.renewal.map(renewed) ?? []
    lines += report.returned.map(returned) ?? []
    lines += report.delays.filter { !$0.needsHelp }.map { "  \($0)" }
    return lines.map(output.shown).joined(separator: "\n")
  }

  private func renewed(_ renewal: SyncReport.Renewal) -> [String] {
    let count = counted(renewal.reissued, "transaction")
    return [
      "  \(renewal.evidence): the store was restored from a backup or copied",
      "  it goes on as \(renewal.peer); \(count) after \(renewal.last) of \(renewal.former) issued again",
    ]
  }

  private func returned(_ returned: ReturnReport) -> [String] {
    let reason =
      returned.retired.map {
        "nobody could import any more what the retired peer \($0) had published: this store"
      } ?? "the others have agreed to forget what this store would have to be compared with: it"
    var lines = ["  \(reason) has taken the contents of \(returned.baseline)"]
    if let former = returned.former {
      let count = returned.fenced + returned.fencedOfOthers
      let what =
        count > 0 ? "what \(counted(count, "transaction")) had changed" : "what the baseline lacks"
      lines.append(
        "  it goes on under another identity than \(former)"
          + (count == 0 && returned.reissued == 0
            ? ""
            : "; \(what) was issued again in "
              + "\(counted(returned.reissued, "transaction"))"))
    }
    if let undeleted = Self.undeleted(by: returned) { lines.append(undeleted) }
    return lines
  }

  /// The line about rows whose deletion was not issued again; `nil` if there are none.
  static func undeleted(by returned: ReturnReport) -> String? {
    guard returned.undeleted > 0 else { return nil }
    let (verb, pronoun) = returned.undeleted == 1 ? ("is", "it") : ("are", "them")
    return
      "  \(counted(returned.undeleted, "row")) that had been deleted \(verb) there again: others may have written "
      + pronoun
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
  /// The exit status of a synchronisation with this report.
  package var exitStatus: ExitStatus {
    if failure != nil { return .failed }
    let isFine =
      damaged.isEmpty && stopped.isEmpty && !delays.contains(where: \.needsHelp)
    return isFine ? .done : .damage
  }

  /// Whether anything was published or imported.
  fileprivate var isProductive: Bool {
    published.transactions > 0 || published.segments > 0 || imported.transactions > 0
      || renewal != nil || returned != nil || uncaptured != nil || !keyless.isEmpty
      || imported.mayHaveChangedEverything
  }
}

extension Output {
  /// Reports the files that were set aside.
  func report(damaged files: [(path: String, reason: String)]) {
    for file in files { problem(SetAsideFile.text(file)) }
  }
}
