import TributarySync

/// `tributary detach`: makes a store an ordinary database again.
struct DetachCommand: Command {
  private static let removeLogs = CommandOption(
    "remove-logs", help: "also remove what this store has published; only its own")

  private static let leaveUnpublished = CommandOption(
    "leave-unpublished", help: "publish nothing before; other devices never get what they lack")

  static let syntax = Syntax(
    "detach", summary: "make a store an ordinary database again; its rows stay",
    operands: [.store], options: [removeLogs, leaveUnpublished],
    details: """
      What the store has not published is published first, as `sync` does; where
      that cannot be done it stays a store.
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
    if let consequence = report.consequence { output.warn(consequence) }
    return .done
  }
}
