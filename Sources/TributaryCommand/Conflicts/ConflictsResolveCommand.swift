import TributarySync

/// `tributary conflicts resolve`: resolves a conflict by a transaction that other devices import.
struct ConflictsResolveCommand: Command {
  private static let keep = CommandOption("keep", help: "what is visible stays")
  private static let restore = CommandOption("restore", help: "what was lost comes back")

  static let syntax = Syntax(
    "conflicts resolve", summary: "settle a conflict, here and with the next sync everywhere",
    operands: [.store, .conflict], options: [keep, restore], exclusive: [[keep, restore]],
    details: """
      --keep leaves what is visible, and deletes a held row. --restore writes the
      losing values: it brings back a deleted row as its writer had it, or the row
      that is referred to, and deletes the row that has the UNIQUE key. For anything
      else, use 'tributary sql': a later write of the losing row or value settles the
      conflict as well.

      Settling a conflict that has already ended succeeds and does nothing.
      """)

  private let store: String
  private let identifier: String
  private let resolution: Resolution

  init(_ arguments: Arguments) throws(UsageError) {
    store = arguments.operands[0]
    identifier = arguments.operands[1]
    guard arguments.has(Self.keep) || arguments.has(Self.restore) else {
      throw UsageError("--keep or --restore is missing")
    }
    resolution = arguments.has(Self.keep) ? .keep : .restore
  }

  func run(to output: Output) throws -> ExitStatus {
    let isNews = try SyncSession(store: store).resolve(identifier, resolution)
    let outcome =
      switch (isNews, resolution) {
      case (false, _): "had ended already"
      case (true, .keep): "settled, what is visible stays"
      case (true, .restore): "settled, what was lost is restored"
      }
    output.hasDone("the conflict is settled")
    try output.confirm(output.shown("\(store): conflict \(identifier) \(outcome)"))
    return .done
  }
}
