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

  static let syntax = Syntax(
    "attach", summary: "make a database a store that shares its rows through a container",
    operands: [.store],
    options: [container, name, contentRoot, schema, peerName, tables, except]
      + MergeArguments.all,
    exclusive: [[tables, except]],
    details: """
      A STORE that is missing is rebuilt from the logs, or made new when there are
      none; with --schema its migrations run. A database that has tables is adopted:
      its rows become its first transactions. Where logs exist they win: rows that
      they do not know are added, and what they contradict is a conflict. Of a STORE
      that is attached already, what is given is applied or refused; when its
      container has moved, --container says where it is now.

      --merge, --policy and --natural-keys say how tables merge, before they are
      written: the first device says it, those that follow take it over.
      """)

  private let store: String
  private let container: String
  private let name: String
  private let contentRoot: String?
  private let schema: String?
  private let peerName: String?
  /// `nil` leaves it to the container.
  private let tables: TableSelection?
  /// The same.
  private let merge: MergeOptions?

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
    merge = try MergeArguments.options(arguments)
  }

  func run(to output: Output) throws -> ExitStatus {
    var request = AttachRequest(store: store, container: container, contentName: name)
    request.contentRoot = contentRoot
    request.migrations = try schema.map(MigrationFiles.read) ?? []
    request.peerName = peerName
    request.tables = tables
    request.merge = merge
    let progress = ProgressLine(output)
    let report = try Engine.attach(request) { progress.show($0) }
    progress.finish()
    output.hasDone("\(store) is attached")
    let identity = report.identity
    let peer =
      identity.peerName.isEmpty ? "\(identity.peer)" : "\(identity.peer) (\(identity.peerName))"
    try output.confirm(output.shown("\(store): \(describe(report.outcome)); peer \(peer)"))
    for warning in report.warnings + joining(report) { output.warn(warning) }
    for waiting in report.waiting { output.note("\(waiting)") }
    output.report(damaged: report.damaged)
    return report.damaged.isEmpty ? .done : .damage
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
