import TributarySync

/// `tributary verify`: compares a store with its logs.
struct VerifyCommand: Command {
  static let syntax = Syntax(
    "verify", summary: "replay the logs from nothing and compare the result with the store",
    operands: [.store],
    details: """
      Changes nothing. Rows, held rows and conflicts are compared. The first
      differences are printed, one a line, and the exit status is then 3.
      """)

  private let store: String

  init(_ arguments: Arguments) { store = arguments.operands[0] }

  func run(to output: Output) throws -> ExitStatus {
    let progress = ProgressLine(output)
    let report = try Engine.verify(store: store) { progress.show($0) }
    progress.finish()
    for difference in report.differences {
      try output.line(Escaping.escaped(difference.description))
    }
    let untold = report.differenceCount - report.differences.count
    if untold > 0 { try output.line("and \(counted(untold, "difference")) more") }
    if !report.comparesConflicts {
      output.note("\(store): its conflicts are not up to date and were not compared; sync first")
    }
    let found =
      report.differenceCount == 0 ? "no difference" : counted(report.differenceCount, "difference")
    try output.confirm(
      output.shown("\(store): \(counted(report.transactions, "transaction")) replayed, \(found)"))
    return report.differenceCount == 0 ? .done : .damage
  }
}
