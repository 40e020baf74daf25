import TributaryCore
import TributaryStore
import TributarySync

/// Prints what `attach` has done, or would do.
struct AttachPrinter {
  let store: String
  let report: AttachReport
  /// A command line that would not be refused; `nil` if nothing is refused, or none is known.
  let command: String?

  // MARK: Text

  func printText(to output: Output) throws {
    let identity = report.identity
    guard report.isRehearsal else {
      let peer =
        identity.peerName.isEmpty ? "\(identity.peer)" : "\(identity.peer) (\(identity.peerName))"
      try output.confirm(output.shown("\(store): \(outcome); peer \(peer)"))
      for change in report.applied { try output.confirm(output.shown("\(store): \(change)")) }
      for key in report.keys { try output.confirm(output.shown("\(store): \(key)")) }
      for line in report.schemas.flatMap(\.lines) { try output.confirm(output.shown(line)) }
      return
    }
    try output.line(output.shown("\(store): \(prospect); nothing has been changed"))
    try printTables(to: output)
    try printList("left out:", report.leftOut.map(\.description), to: output)
    try printNotes("declared:", .declared, to: output)
    try printNotes("chosen:", .chosen, to: output)
    try printNotes("to decide:", .suggestion, to: output)
    for line in report.schemas.flatMap(\.lines) { try output.line(output.shown(line)) }
    if let command { try printList("this goes through:", [command], to: output) }
  }

  private func printTables(to output: Output) throws {
    if report.tables.isEmpty { return }
    var table = TextTable(
      ["TABLE", "ROWS", "KNOWN BY", "REFERS TO"], alignments: [.left, .right], to: output)
    for shared in report.tables {
      let key = shared.key.joined(separator: ", ")
      let knownBy = shared.knownBy.map { "\($0)" } ?? "PRIMARY KEY (\(key))"
      try table.append(
        [
          shared.name, shared.rows.map { "\($0)" } ?? "", knownBy,
          shared.references.map(Self.text).joined(separator: "; "),
        ].map(output.shown))
    }
    try table.finish()
  }

  private static func text(_ reference: AttachedReference) -> String {
    let parent =
      reference.parentColumns.isEmpty
      ? reference.table : "\(reference.table) (\(reference.parentColumns.joined(separator: ", ")))"
    return "\(reference.columns.joined(separator: ", ")) → \(parent)"
      + (reference.isBinding ? "" : ", which is not there")
  }

  private func printNotes(
    _ heading: String, _ kind: AttachNote.Kind, to output: Output
  ) throws {
    let lines = report.notes.filter { $0.kind == kind }.map { note in
      let options = note.options.map(\.description).joined(separator: " ")
      return options.isEmpty
        ? note.text : "\(note.text) (\(kind == .suggestion ? "" : "otherwise: ")\(options))"
    }
    try printList(heading, lines, to: output)
  }

  private func printList(_ heading: String, _ lines: [String], to output: Output) throws {
    if lines.isEmpty { return }
    try output.line(heading)
    for line in lines { try output.line("  " + output.shown(line)) }
  }

  private var prospect: String {
    switch report.outcome {
    case .created: "would be created"
    case .rebuilt(let transactions):
      "would be rebuilt from \(counted(transactions, "transaction"))"
    case .adopted(let rows): "would be adopted with \(counted(rows, "row"))"
    case .joined: "would join the logs, which come first and win"
    case .alreadyAttached: "attached already, and what is given would be applied"
    case .moved: "attached already, its container would be \(report.identity.container)"
    case .refused: "would be refused"
    }
  }

  private var outcome: String {
    switch report.outcome {
    case .created: "created"
    case .rebuilt(let transactions):
      "rebuilt from \(counted(transactions, "transaction"))"
        + (report.baseline == nil ? "" : ", beginning with a baseline")
    case .adopted(let rows): "adopted with \(counted(rows, "row"))"
    case .joined(let added): "joined the logs, \(counted(added, "row")) added"
    case .alreadyAttached: "attached already"
    case .moved: "attached already, its container is now \(report.identity.container)"
    case .refused: "refused"
    }
  }

  // MARK: Problems

  /// Prints everything that does not belong on standard output.
  func printProblems(to output: Output) {
    // After a refusal, advice about using the store does not help.
    if report.isRehearsal || report.outcome != .refused {
      for warning in warnings { output.warn(warning) }
    }
    for delay in report.delays { output.problem("\(store): \(delay)") }
    output.report(damaged: report.damaged)
    for refusal in report.refusals { output.problem(errorText(refusal.cause)) }
    if let command, !report.isRehearsal {
      output.note("this goes through: \(command)")
    }
  }

  /// The warnings, and what happened to a database that joined the logs.
  private var warnings: [String] {
    var warnings = report.warnings
    if report.conflicts > 0 {
      warnings.append(
        "the logs contradict the database and win: \(counted(report.conflicts, "conflict")), which "
          + "`tributary conflicts list` shows with the values that lost")
    }
    if report.doubted > 0 {
      warnings.append(
        "\(counted(report.doubted, "row")) of the database that the other devices do not have may have been deleted "
          + "there, which they have forgotten since: conflicts that `tributary conflicts resolve --restore` brings back"
      )
    }
    if !report.isComplete {
      warnings.append(
        "some logs have not arrived: rows that only the database has were added so that whatever "
          + "these say of them wins")
    }
    if let path = report.setAside {
      warnings.append(
        "the database has other values in columns that merge by a policy, which no conflict can list: "
          + "as it was it is in \(path)")
    }
    return warnings
  }

  // MARK: JSON

  /// The result as one object.
  var json: String {
    var json = JSONWriter()
    json.object { json in
      json.member("store", store)
      if report.isRehearsal { json.member("dryRun") { $0.bool(true) } }
      if report.hasPeer { json.member("peer", report.identity.peer.description) }
      writeOutcome(to: &json)
      json.member("conflicts", report.conflicts)
      json.member("followsSchema") { $0.bool(report.followsSchema) }
      if report.outcome == .alreadyAttached || report.outcome == .moved {
        json.member("applied", strings: report.applied)
      }
      if !report.schemas.isEmpty {
        json.member("followed", objects: report.schemas) { $1.writeMembers(to: &$0) }
      }
      json.member("keys", each: report.keys) { $1.write(to: &$0) }
      json.member("tables", each: report.tables) { $1.write(to: &$0) }
      json.member("leftOut", each: report.leftOut) { $1.write(to: &$0) }
      json.member("notes", each: report.notes) { $1.write(to: &$0) }
      json.member("refusals", each: report.refusals) { $1.write(to: &$0) }
      if let command { json.member("command", command) }
      if !report.waiting.isEmpty {
        json.member("waiting", each: report.waiting) { $1.write(to: &$0) }
      }
      json.member("warnings", strings: warnings)
    }
    return json.text
  }

  private func writeOutcome(to json: inout JSONWriter) {
    switch report.outcome {
    case .created: json.member("outcome", "created")
    case .rebuilt(let transactions):
      json.member("outcome", "rebuilt")
      json.member("transactions", transactions)
      if let baseline = report.baseline { json.member("baseline", baseline) }
    case .adopted(let rows):
      json.member("outcome", "adopted")
      json.member("rows", rows)
    case .joined(let added):
      json.member("outcome", "joined")
      if !report.isRehearsal { json.member("rows", added) }
    case .alreadyAttached: json.member("outcome", "present")
    case .moved: json.member("outcome", "moved")
    case .refused: json.member("outcome", "refused")
    }
  }
}
