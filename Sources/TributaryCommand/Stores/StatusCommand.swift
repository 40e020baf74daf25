import TributaryCore
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
    let report = try SyncSession(store: store).status()
    if printsJSON {
      try output.line(Self.json(report))
    } else {
      try printText(report, to: output)
    }
    return .done
  }

  private static func json(_ report: StatusReport) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("store", report.store)
      json.member("container", report.identity.container)
      json.member("name", report.identity.contentName)
      json.member("peer", report.identity.peer.description)
      json.member("peers", objects: report.peers) { json, peer in
        json.member("peer", peer.peer.description)
        json.member("name", peer.name)
        json.member("sequence", peer.sequence.rawValue)
        json.member("time") { $0.time(peer.time) }
        if let successor = report.successors[peer.peer] {
          json.member("successor", successor.description)
        }
      }
      json.member("unpublished", report.unpublished)
      json.member("waiting", each: report.waiting) { $1.write(to: &$0) }
      json.member("conflicts", report.conflicts)
      json.member("schema", report.schema)
      json.member("followsSchema") { $0.bool(report.followsSchema) }
      json.member("keys", each: report.keys) { $1.write(to: &$0) }
      json.member("version", report.version.description)
      if let trouble = report.trouble {
        json.object("trouble") { json in
          json.member("since", Timestamp.text(milliseconds: trouble.since))
          json.member("kind", trouble.kind)
          json.member("reason", trouble.reason)
        }
      }
      json.object("space") { report.space.write(to: &$0) }
      json.member("findings", strings: report.findings)
    }
    return json.text
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
