import TributaryContainer
import TributaryFiles
import TributaryReplay
import TributaryStore
import TributarySync

/// `tributary verify`: compares a store with its logs.
struct VerifyCommand: Command {
  static let syntax = Syntax(
    "verify", summary: "replay the logs from nothing and compare the result with the store",
    operands: [.store],
    details: """
      Changes no row and no log. Writes of other programs are recorded first, as by
      'sync', and named if no trigger has captured them. The command compares rows,
      held rows and conflicts, and checks segments as 'log verify' does. It prints the
      first differences and the damaged segments, one a line, and the exit status is
      then 3. If a damaged segment contains what no other segment does, nothing can be
      compared, and the exit status is 3, too.

      Tables that have stopped are named, with exit status 3, because no log contains
      what was written to them since. Columns whose types differ on other devices are
      named, too: such a store may agree with its logs and still have another digest
      than theirs.
      """)

  private let store: String

  init(_ arguments: Arguments) { store = arguments.operands[0] }

  func run(to output: Output) throws -> ExitStatus {
    let progress = ProgressLine(output)
    let report: VerifyReport
    do {
      report = try Engine.verify(store: store) { progress.show($0) }
    } catch let error as SyncError where error.underlying is ContainerError {
      // A log file is damaged, and no other file has its contents. That is the finding.
      progress.finish()
      _ = try printDamage(to: output, progress)
      output.problem("\(store): not compared: \(errorText(error))")
      return .damage
    }
    progress.finish()
    for difference in report.differences {
      try output.line(Escaping.escaped(difference.description))
    }
    let untold = report.differenceCount - report.differences.count
    if untold > 0 { try output.line("and \(counted(untold, "difference")) more") }
    let damageCount = try printDamage(to: output, progress)
    // The logs cannot tell what is in a table whose replication has stopped.
    let stopped = try LocalStore(path: store, milliseconds: { 0 }).service {
      try StoppedTables($0).findings()
    }
    for table in stopped { output.problem("\(store): not compared: \(table)") }
    if !report.comparesConflicts {
      output.note("\(store): its conflicts are not up to date and were not compared; sync first")
    }
    if let found = report.uncaptured {
      output.note("\(store): \(found); it was found by comparison with the logs, and is recorded")
    }
    for column in report.otherTypes { output.note("\(store): \(column)") }
    let found =
      report.differenceCount == 0 ? "no difference" : counted(report.differenceCount, "difference")
    let damage = damageCount == 0 ? "" : ", \(counted(damageCount, "damaged file"))"
    try output.confirm(
      output.shown(
        "\(store): \(counted(report.transactions, "transaction")) replayed, \(found)\(damage)"))
    return report.differenceCount == 0 && damageCount == 0 && stopped.isEmpty ? .done : .damage
  }

  /// Prints the damaged segments, which the replay did without. Damaged baselines are not listed:
  /// one is enough.
  ///
  /// - Returns: their number.
  private func printDamage(to output: Output, _ progress: ProgressLine) throws -> Int {
    let local = try LocalStore(path: store, milliseconds: { 0 })
    let directory = try local.identity().directory()
    var count = 0
    let verification = LogVerification(
      try LogSearch().logs(at: [directory.path]),
      progress: { progress.show("verifying", done: $0, total: $1) },
      report: { finding in
        guard SegmentName(finding.path.lastPathComponent) != nil else { return }
        count += 1
        try output.line("\(Escaping.escaped(finding.path)): \(Escaping.escaped(finding.message))")
      })
    defer { progress.finish() }
    _ = try verification.run()
    return count
  }
}
