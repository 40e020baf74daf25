import TributarySync

/// `tributary detach`: makes a store an ordinary database again.
struct DetachCommand: Command {
  private static let removeLogs = CommandOption(
    "remove-logs", help: "also remove the logs that this store has published, and no others")

  private static let leaveUnpublished = CommandOption(
    "leave-unpublished", help: "do not publish first; other devices never get what is unpublished")

  static let syntax = Syntax(
    "detach", summary: "make a store an ordinary database again; its rows stay",
    operands: [.store], options: [removeLogs, leaveUnpublished],
    details: """
      The command first publishes what is unpublished, as `sync` does. If it cannot,
      the database remains a store.
      """)

  private let store: String
  private let removesLogs: Bool
  private let leavesUnpublished: Bool

  init(_ arguments: Arguments) {
    store = arguments.operands[0]
    removesLogs = arguments.has(Self.removeLogs)
    leavesUnpublished = arguments.has(Self.leaveUnpublished)
  }

  func run(to output: Output) throws -> ExitStatus {
    let report = try Engine.detach(
      store: store, removeLogs: removesLogs, leavingUnpublished: leavesUnpublished)
    output.hasDone("\(store) is detached")
    try output.confirm(
      output.shown("\(store): detached" + (removesLogs ? ", its logs removed" : "")))
    for warning in [report.consequence, report.ignorance].compactMap(\.self) {
      output.warn(warning)
    }
    return .done
  }
}
