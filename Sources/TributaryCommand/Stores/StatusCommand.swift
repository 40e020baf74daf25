import TributaryFiles
import TributarySync

/// `tributary status`: prints the state of a store.
struct StatusCommand: Command {
  static let syntax = Syntax(
    "status", summary: "show peers, what is unpublished, and what waits for what",
    operands: [.store], options: [.json])

  private let store: String
  private let printsJSON: Bool

  init(_ arguments: Arguments) {
    store = arguments.operands[0]
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let report = try SyncSession(store: store, onlyLooks: true).status()
    if printsJSON {
      try output.line(report.json)
    } else {
      try printText(report, to: output)
    }
    return .done
  }

  private func printText(_ report: StatusReport, to output: Output) throws {
    let identity = report.identity
    for (name, value) in [
      ("store", report.store), ("container", identity.container), ("name", identity.contentName),
      ("peer", identity.peer.description),
      ("schema", report.schema + (report.followsSchema ? ", follows those of others" : "")),
      ("unpublished", counted(report.unpublished, "transaction")),
      ("conflicts", "\(report.conflicts)"),
    ] {
      try output.line((name + ":").padded(to: 13) + output.shown(value))
    }
    for (place, line) in report.space.lines.enumerated() {
      try output.line((place == 0 ? "space:" : "").padded(to: 13) + output.shown(line))
    }
    for (place, key) in report.keys.enumerated() {
      try output.line(
        (place == 0 ? "keys:" : "").padded(to: 13) + output.shown("\(key)"))
    }
    try output.line("")
    var table = TextTable(
      ["PEER", "SEQUENCE", "LAST WRITE", "NAME"], alignments: [.left, .right], to: output)
    for peer in report.peers {
      let note =
        if peer.peer == identity.peer {
          " (this store)"
        } else if let successor = report.successors[peer.peer] {
          " (former identity of \(successor == identity.peer ? "this store" : "\(successor)"))"
        } else {
          ""
        }
      let time = peer.sequence == .zero ? "-" : WriteTime.text(peer.time)
      try table.append(
        [
          peer.peer.description, peer.sequence.description, time,
          Escaping.escaped(peer.name) + note,
        ])
    }
    try table.finish()
    for line in report.delays.map(\.description) + report.findings {
      try output.line(output.styled(Escaping.escaped(line), .yellow))
    }
  }
}
