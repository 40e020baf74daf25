import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync

/// `tributary attach`: makes a database a store.
struct AttachCommand: Command {
  private static let container = CommandOption(
    "container", argument: "DIR", kind: .directory, isRequired: true, help: "the shared directory")
  private static let name = CommandOption(
    "name", argument: "NAME", isRequired: true, help: "the content name, the same on every device")
  private static let contentRoot = CommandOption(
    "content-root", argument: "DIR",
    help: "where content lies in the container, a relative path; 'tributary' unless given")
  private static let schema = CommandOption(
    "schema", argument: "FILE|DIR", kind: .file,
    help: "the migrations: a file of SQL, or all *.sql of a directory in order of name")
  private static let peerName = CommandOption(
    "peer-name", argument: "TEXT", help: "what people call this device")
  private static let tables = CommandOption(
    "tables", argument: "T,...", help: "share only these tables")
  private static let except = CommandOption(
    "except", argument: "T,...", help: "share all tables but these")

  private static let capture = CommandOption(
    "capture", argument: "triggers|hook",
    help:
      "how writes are captured: triggers, those of any program (default); hook, only those of Tributary"
  )

  static let syntax = Syntax(
    "attach", summary: "make a database a store that shares its rows through a container",
    operands: [.store],
    options: [container, name, contentRoot, schema, peerName, tables, except, capture]
      + MergeArguments.all + [.json],
    exclusive: [[tables, except]],
    details: """
      A STORE that is missing is rebuilt from the logs, or made new when there are
      none; with --schema its migrations run. A database that has tables is adopted:
      its rows become its first transactions. Where logs exist they win: rows that
      they do not know are added, and what they contradict is a conflict. Of a STORE
      that is attached already, what is given is applied or refused; when its
      container has moved, --container says where it is now.

      Any program may write the STORE: triggers journal its changes, and the next
      Tributary process that looks records and shares them. With --capture hook it
      is found by comparison what others have written.

      --merge, --policy and --natural-keys say how tables merge, before they are
      written: the first device says it, those that follow take it over.

      Rows are known by their PRIMARY KEY; in a table that has none by its first
      UNIQUE key of NOT NULL columns, else by its first UNIQUE key in which no row
      has NULL, else by themselves: what several devices insert all stays. With
      --rowid-key it is the rowid, for tables to which others refer by that.
      """)

  private let store: String
  private let container: String
  private let name: String
  private let contentRoot: String?
  private let schema: String?
  private let peerName: String?
  /// `nil` leaves it to the container.
  private let tables: TableSelection?
  /// `nil` is triggers for a database that is attached now, and as before for others.
  private let capture: CaptureMethod?
  /// `nil` leaves it to the container.
  private let merge: MergeOptions?
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = arguments.operands[0]
    container = try arguments.nonempty(Self.container) ?? ""
    name = arguments.required(Self.name)
    contentRoot = arguments[Self.contentRoot]
    schema = try arguments.nonempty(Self.schema)
    peerName = arguments[Self.peerName]
    if let only = try arguments.list(Self.tables) {
      tables = .only(only)
    } else if let except = try arguments.list(Self.except) {
      tables = .except(except)
    } else {
      tables = nil
    }
    if let text = arguments[Self.capture] {
      guard let method = CaptureMethod(rawValue: text) else {
        throw UsageError("--capture is triggers or hook, not \(text)")
      }
      capture = method
    } else {
      capture = nil
    }
    merge = try MergeArguments.options(arguments)
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    var request = AttachRequest(store: store, container: container, contentName: name)
    request.contentRoot = contentRoot
    request.migrations = try schema.map(MigrationFiles.read) ?? []
    request.peerName = peerName
    request.tables = tables
    request.merge = merge
    request.capture = try capture ?? (isAttached ? nil : .triggers)
    let progress = ProgressLine(output)
    let report = try Engine.attach(request) { progress.show($0) }
    progress.finish()
    output.hasDone("\(store) is attached")
    if printsJSON {
      try output.line(json(report))
    } else {
      let identity = report.identity
      let peer =
        identity.peerName.isEmpty ? "\(identity.peer)" : "\(identity.peer) (\(identity.peerName))"
      try output.confirm(output.shown("\(store): \(describe(report.outcome)); peer \(peer)"))
      for key in report.keys { try output.confirm(output.shown("\(store): \(key)")) }
    }
    for warning in report.warnings + joining(report) { output.warn(warning) }
    for waiting in report.waiting { output.note("\(waiting)") }
    output.report(damaged: report.damaged)
    return report.damaged.isEmpty ? .done : .damage
  }

  private var isAttached: Bool {
    get throws {
      guard try LocalFileSystem().status(store) != nil else { return false }
      return try LocalStore.isAttached(at: store)
    }
  }

  /// What became of a database that joined the logs.
  private func joining(_ report: AttachReport) -> [String] {
    var warnings: [String] = []
    if report.conflicts > 0 {
      warnings.append(
        "the logs contradict the database and win: \(counted(report.conflicts, "conflict")), which "
          + "`tributary conflicts list` shows with the values that lost")
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

  private func json(_ report: AttachReport) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("store", store)
      json.member("peer", report.identity.peer.description)
      switch report.outcome {
      case .created: json.member("outcome", "created")
      case .rebuilt(let transactions):
        json.member("outcome", "rebuilt")
        json.member("transactions", transactions)
      case .adopted(let rows):
        json.member("outcome", "adopted")
        json.member("rows", rows)
      case .joined(let added):
        json.member("outcome", "joined")
        json.member("rows", added)
      case .alreadyAttached: json.member("outcome", "present")
      case .moved: json.member("outcome", "moved")
      }
      json.member("conflicts", report.conflicts)
      json.member("keys") { json in
        json.array { json in for key in report.keys { key.write(to: &json) } }
      }
      json.member("warnings") { json in
        json.array { json in
          for warning in report.warnings + joining(report) { json.string(warning) }
        }
      }
    }
    return json.text
  }

  private func describe(_ outcome: AttachReport.Outcome) -> String {
    switch outcome {
    case .created: "created"
    case .rebuilt(let transactions): "rebuilt from \(counted(transactions, "transaction"))"
    case .adopted(let rows): "adopted with \(counted(rows, "row"))"
    case .joined(let added): "joined the logs, \(counted(added, "row")) added"
    case .alreadyAttached: "attached already"
    case .moved: "attached already, its container is now \(container)"
    }
  }
}
