import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync

/// `tributary conflicts show`: prints one conflict, with the current row beside the values that it
/// lost.
struct ConflictsShowCommand: Command {
  static let syntax = Syntax(
    "conflicts show", summary: "show a conflict, and the row as it is now",
    operands: [.store, .conflict], options: [.json],
    details: """
      With --json the object has one more member than in `conflicts list`: "row", the
      columns of the row as it is now, or null if there is none.
      """)

  private let store: String
  private let identifier: String
  private let printsJSON: Bool

  init(_ arguments: Arguments) {
    store = arguments.operands[0]
    identifier = arguments.operands[1]
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let session = try SyncSession(store: store)
    let conflict = try session.conflict(identifier)
    let row = try session.visibleRow(of: conflict)
    if printsJSON {
      try output.line(
        conflict.json { json in
          json.member("row") { json in
            if let row { row.write(to: &json) } else { json.null() }
          }
        })
    } else {
      try printText(conflict, row, of: session, to: output)
    }
    return .done
  }

  private func printText(
    _ conflict: Conflict, _ row: [Conflict.Cell]?, of session: SyncSession, to output: Output
  ) throws {
    let text = ConflictText(
      names: try session.names(of: [conflict.loser.peer, conflict.winner.peer]))
    var facts = [
      ("conflict", Escaping.escaped(conflict.id)), ("table", Escaping.escaped(conflict.table)),
      ("key", Literal.key(conflict.key)), ("kind", conflict.kind.rawValue),
      ("held", conflict.isHeld ? "yes" : "no"), ("lost", text.transaction(conflict.loser)),
      ("won", text.transaction(conflict.winner)),
    ]
    if let ended = conflict.ended { facts.append(("ended", Timestamp.text(milliseconds: ended))) }
    for (name, value) in facts { try output.line((name + ":").padded(to: 10) + value) }
    try output.line("")
    var table = TextTable(["COLUMN", "LOST", "NOW"], to: output)
    for column in columns(conflict, row) {
      func value(in cells: [Conflict.Cell]?) -> String? {
        cells?.first { SQLName($0.column) == SQLName(column) }.map { Literal.text($0.value) }
      }
      try table.append([
        Escaping.escaped(column), value(in: conflict.values) ?? "", value(in: row) ?? "-",
      ])
    }
    try table.finish()
  }

  /// Returns the columns, in the order of the row if there is one.
  private func columns(_ conflict: Conflict, _ row: [Conflict.Cell]?) -> [String] {
    let names = (row ?? []).map(\.column)
    let known = Set(names.map { SQLName($0) })
    return names + conflict.values.map(\.column).filter { !known.contains(SQLName($0)) }
  }
}
