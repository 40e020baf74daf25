import TributaryFiles
import TributaryStore
import TributarySync

/// `tributary conflicts list`: prints what merging could not keep visible.
struct ConflictsListCommand: Command {
  private static let all = CommandOption("all", help: "also those that have ended")

  static let syntax = Syntax(
    "conflicts list", summary: "list the conflicts that nobody has settled",
    operands: [.store], options: [all, .json],
    details: """
      LOST is the value that was written and is not visible; NOW is what is visible
      instead. A held row is kept complete, outside its table, until its conflict
      ends.
      """)

  private let store: String
  private let includesEnded: Bool
  private let printsJSON: Bool

  init(_ arguments: Arguments) {
    store = arguments.operands[0]
    includesEnded = arguments.has(Self.all)
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let session = try SyncSession(store: store)
    let conflicts = try session.conflicts(ended: includesEnded)
    if printsJSON {
      for conflict in conflicts { try output.line(conflict.json()) }
    } else if conflicts.isEmpty {
      try output.confirm(output.shown("\(store): no conflicts"))
    } else {
      try printText(conflicts, of: session, to: output)
    }
    return .done
  }

  private func printText(
    _ conflicts: [Conflict], of session: SyncSession, to output: Output
  ) throws {
    let peers = Set(conflicts.flatMap { [$0.loser.peer, $0.winner.peer] })
    let text = ConflictText(names: try session.names(of: peers))
    let ended = includesEnded ? ["ENDED"] : []
    var table = TextTable(
      [
        "ID", "TABLE", "KEY", "KIND", "HELD", "LOST", "NOW", "LOST BY", "AT", "WON BY", "AT",
      ] + ended, to: output)
    for conflict in conflicts {
      let row = try session.visibleRow(of: conflict)
      var cells = [
        Escaping.escaped(conflict.id), Escaping.escaped(conflict.table), Literal.key(conflict.key),
        conflict.kind.rawValue, conflict.isHeld ? "yes" : "no", text.values(conflict.values),
        text.visible(conflict, row: row), text.author(conflict.loser), text.time(conflict.loser),
        text.author(conflict.winner), text.time(conflict.winner),
      ]
      if includesEnded {
        cells.append(conflict.ended.map { Timestamp.text(milliseconds: $0) } ?? "-")
      }
      try table.append(cells)
    }
    try table.finish()
  }
}
