import TributaryCore
import TributaryReplay
import TributarySync

/// `tributary schema`: prints the migrations, where each has run, what waits for them, and which peers'
/// tables differ.
struct SchemaCommand: Command {
  static let syntax = Syntax(
    "schema", summary: "show the schema's migrations, where each has run, and what waits for which",
    operands: [.store], options: [.json],
    details: """
      A migration has run on a device if the device's peer.json says so. If a device
      has written to a table or column that is missing here, those transactions wait
      until the migration has run here. If this STORE follows (`tributary attach
      --follow-schema`), the table or column comes with them. Further lines say how
      the tables of each device differ from those here; "can be taken" marks what a
      store that follows takes.
      """)

  private let store: String
  private let printsJSON: Bool

  init(_ arguments: Arguments) {
    store = arguments.operands[0]
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let report = try SyncSession(store: store).schemaReport()
    if printsJSON {
      for step in report.steps { try output.line(Self.json(step)) }
      for peer in report.peers { try output.line(Self.json(peer)) }
    } else {
      try printSteps(report, to: output)
      try printPeers(report, to: output)
    }
    return .done
  }

  // MARK: JSON

  private static func json(_ step: SchemaReport.Step) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("migration") { json in
        if let name = step.name { json.string(name) } else { json.null() }
      }
      json.member("position", step.position)
      json.member("here") { $0.bool(step.isHere) }
      json.member("peers", strings: step.peers.map(\.description))
      json.member("waiting", objects: step.waiting) { json, waiting in
        json.member("peer", waiting.peer.description)
        json.member("sequence", waiting.sequence.rawValue)
        if case .schema(let refusal) = waiting.reason {
          json.member("reason", refusal.message)
          json.member("remedy", refusal.remedy)
        }
      }
    }
    return json.text
  }

  private static func json(_ peer: SchemaReport.Peer) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("peer", peer.peer.description)
      json.member("name", peer.name)
      json.member("differences", objects: peer.differences) { json, difference in
        if let table = difference.table { json.member("table", table) }
        json.member("text", difference.text)
        json.member("additive") { $0.bool(difference.isAdditive) }
      }
      if let trouble = peer.trouble { json.member("trouble", trouble) }
    }
    return json.text
  }

  // MARK: Text

  private func printSteps(_ report: SchemaReport, to output: Output) throws {
    guard !report.steps.isEmpty else {
      return try output.line("no device has run any named migration, and nothing waits for one")
    }
    var table = TextTable(
      ["POSITION", "MIGRATION", "HERE", "DEVICES", "WAITING"],
      alignments: [.right, .left, .left, .right, .right], to: output)
    for step in report.steps {
      try table.append([
        step.name == nil ? "-" : "\(step.position)", step.name.map(Escaping.escaped) ?? "(unknown)",
        step.isHere ? "yes" : "no", "\(step.peers.count)", "\(step.waiting.count)",
      ])
    }
    try table.finish()
    for step in report.steps where !step.isHere && step.name != nil {
      let names = step.peers.map { text($0, report) }.joined(separator: ", ")
      try output.line(output.shown("\(step.name ?? "") has run on \(names)"))
    }
    for waiting in report.steps.flatMap(\.waiting) {
      try output.line(output.styled(Escaping.escaped("\(waiting)"), .yellow))
    }
  }

  private func printPeers(_ report: SchemaReport, to output: Output) throws {
    for peer in report.peers {
      try output.line(output.shown("\(text(peer.peer, report)) has another schema:"))
      for difference in peer.differences {
        let note = difference.isAdditive ? "" : "; not additive, waits for the application"
        try output.line("  " + output.shown(difference.text + note))
      }
      if let trouble = peer.trouble { try output.line("  " + output.shown(trouble)) }
    }
  }

  private func text(_ peer: PeerIdentity, _ report: SchemaReport) -> String {
    let name = report.names[peer] ?? ""
    return name.isEmpty ? "\(peer)" : "\(name) (\(peer))"
  }
}
