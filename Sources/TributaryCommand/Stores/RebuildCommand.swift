import TributarySQLite
import TributarySync

/// `tributary rebuild`: recreates a store from its logs.
struct RebuildCommand: Command {
  static let syntax = Syntax(
    "rebuild", summary: "replay the logs into a fresh file that takes the store's place",
    operands: [.store],
    details: """
      The store stays as it is until the last moment; if the command is interrupted,
      run it again. Rows of the store that are in no log are kept in
      STORE-before-rebuilding. Tables that have stopped and are not whole again are
      left as they are, and the exit status is then 3.
      """)

  private let store: String

  init(_ arguments: Arguments) { store = arguments.operands[0] }

  func run(to output: Output) throws -> ExitStatus {
    let progress = ProgressLine(output)
    let report: RebuildReport
    do {
      report = try Engine.rebuild(store: store) { progress.show($0) }
    } catch {
      progress.finish()
      // The store of a document need not itself say where its logs are.
      guard let kept = try DocumentArguments.remake(store, after: error) else {
        throw Self.explained(error)
      }
      output.hasDone("\(store) is rebuilt")
      try output.confirm(output.shown("\(store): made anew from the logs"))
      output.warn(Self.text(RebuildReport.SetAside(path: kept, rows: nil)))
      return .done
    }
    progress.finish()
    output.hasDone("\(store) is rebuilt")
    try output.confirm(
      output.shown("\(store): rebuilt from \(counted(report.transactions, "transaction"))"))
    if let kept = report.setAside { output.warn(Self.text(kept)) }
    for table in report.stopped { output.problem("\(store): left as it was: \(table)") }
    return report.stopped.isEmpty ? .done : .damage
  }

  /// Returns an error that does not advise rebuilding.
  private static func explained(_ error: any Error) -> any Error {
    guard let error = error as? SQLiteError, error.isDamage else { return error }
    return error.advising(
      "the store does not say where its logs are: move the file away and run `tributary attach` again, which brings "
        + "back what had been published")
  }

  private static func text(_ kept: RebuildReport.SetAside) -> String {
    guard let rows = kept.rows else {
      return "the store could not be read to its end, and may have had rows that no log has: as it "
        + "was it is in \(kept.path), where `sqlite3 FILE .recover` finds what can be read"
    }
    return "no log has \(counted(rows, "row")) as the store had them: they are in \(kept.path); "
      + "write into the store what of them is to stay"
  }
}
