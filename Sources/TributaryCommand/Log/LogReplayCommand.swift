import TributaryInspection
import TributaryReplay

/// `tributary log replay`: recreates the database as it was at a moment.
struct LogReplayCommand: Command {
  private static let until = CommandOption(
    "until", argument: "MOMENT", help: "as it was then; without it, with all that there is")
  private static let file = CommandOption(
    "output", short: "o", argument: "FILE", kind: .file, isRequired: true,
    help: "the database to make, which must not exist")

  static let syntax = Syntax(
    "log replay", summary: "make a database as it was at some moment", operands: [.paths],
    options: [until, file, .loadExtension],
    details: """
      PATH is a container, a content directory, the directory of a peer, or a segment.
      Nothing there is written. The new database is an ordinary one that belongs to no
      container: look into it with sqlite3, or copy rows out of it.

      \(MomentArguments.details)

      The tables are those of the newest schema in any peer.json beside the logs, so
      columns that were added later have their defaults. Without a peer.json, the
      tables have the names, columns and keys that the logs give. A row that merging
      holds back because of a constraint is not in its table.

      \(MomentArguments.incomplete)
      """)

  private let paths: [String]
  private let extensions: [String]
  private let moment: Moment?
  private let path: String

  init(_ arguments: Arguments) throws(UsageError) {
    extensions = arguments.all(.loadExtension)
    paths = arguments.operands
    moment = try MomentArguments.moment(arguments, Self.until)
    path = try arguments.nonempty(Self.file) ?? ""
  }

  func run(to output: Output) throws -> ExitStatus {
    var status = ExitStatus.done
    var reported: Set<String> = []
    let logs = try LogSearch().logs(at: paths)
    let store = try MomentArguments.store(
      of: logs, extensions, at: moment, path: path, &status, &reported, output)
    if let beginning = store.beginning { output.note(beginning) }
    let count = store.transactionCount
    try store.detach()
    try output.confirm(output.shown("\(path): made of \(counted(count, "transaction"))"))
    return status
  }
}
