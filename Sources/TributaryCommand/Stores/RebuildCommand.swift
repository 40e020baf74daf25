import TributarySync

/// `tributary rebuild`: makes a store anew from its logs.
struct RebuildCommand: Command {
  static let syntax = Syntax(
    "rebuild", summary: "replay the logs into a fresh file that takes the store's place",
    operands: [.store],
    details: """
      Until the last moment the store stays as it is; interrupted, it can be run
      again.
      """)

  private let store: String

  init(_ arguments: Arguments) { store = arguments.operands[0] }

  func run(to output: Output) throws -> ExitStatus {
    let progress = ProgressLine(output)
    let report = try Engine.rebuild(store: store) { progress.show($0) }
    progress.finish()
    output.hasDone("\(store) is rebuilt")
    try output.confirm(
      output.shown("\(store): rebuilt from \(counted(report.transactions, "transaction"))"))
    return .done
  }
}
