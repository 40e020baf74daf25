import TributarySync

/// `tributary detach`: makes a store an ordinary database again.
struct DetachCommand: Command {
  private static let removeLogs = CommandOption(
    "remove-logs", help: "also remove what this store has published; only its own")

  static let syntax = Syntax(
    "detach", summary: "make a store an ordinary database again; its rows stay",
    operands: [.store], options: [removeLogs])

  private let store: String
  private let removesLogs: Bool

  init(_ arguments: Arguments) {
    store = arguments.operands[0]
    removesLogs = arguments.has(Self.removeLogs)
  }

  func run(to output: Output) throws -> ExitStatus {
    try Engine.detach(store: store, removeLogs: removesLogs)
    try output.confirm(
      output.shown("\(store): detached" + (removesLogs ? ", its logs removed" : "")))
    return .done
  }
}
