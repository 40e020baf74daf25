import TributaryCore
import TributaryFiles
import TributaryInspection
import TributaryLog
import TributaryReplay
import TributaryStore

/// `tributary log blame`: prints who wrote each cell, and when.
struct LogBlameCommand: Command {
  private static let until = CommandOption(
    "until", argument: "MOMENT", help: "as it was then; without it, with all that there is")
  private static let column = CommandOption(
    "column", argument: "NAME", isRepeatable: true,
    help: "only this column, by any name that it has had")

  static let syntax = Syntax(
    "log blame", summary: "show who wrote each cell, when, and in which transaction",
    operands: [.paths],
    options: [FilterArguments.table, FilterArguments.key, column, until, .loadExtension, .json],
    details: """
      PATH is a container, a content directory, the directory of a peer, or a segment.
      The command replays the logs into a temporary database, in TMPDIR or /tmp, as
      any device would import them. For each cell that is left, it names the
      transaction that last wrote it. A row that a constraint keeps out of its table
      is shown as held. A cell that no transaction wrote has the default of its
      column. The devices have forgotten who wrote what lies beneath a horizon that
      they have declared.

      KEY is a value as `log show` prints it, or a text without its quotes. A key of
      several columns is written in parentheses: (1, 'a').

      \(MomentArguments.details)

      \(MomentArguments.incomplete)
      """)

  private let paths: [String]
  private let extensions: [String]
  private let moment: Moment?
  private let filter: TransactionFilter
  private let columns: ColumnFilter
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    extensions = arguments.all(.loadExtension)
    paths = arguments.operands
    moment = try MomentArguments.moment(arguments, Self.until)
    filter = try FilterArguments.rows(arguments)
    columns = ColumnFilter(arguments.all(Self.column))
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    var status = ExitStatus.done
    var reported: Set<String> = []
    let logs = try LogSearch().logs(at: paths)
    let store = try MomentArguments.store(
      of: logs, extensions, at: moment, &status, &reported, output)
    defer { store.remove() }
    if let beginning = store.beginning { output.note(beginning) }
    let names = logs.names
    var filter = filter
    filter.followNames(beside: logs)
    var columns = columns
    columns.followNames(beside: logs)
    let progress = ProgressLine(output)
    try Blame(of: store, progress: { progress.show($0) }).forEachRow(filter) { row in
      let row = row.selecting { columns.includes($0, of: row.table, in: store.contentName) }
      guard !row.cells.isEmpty else { return }
      if printsJSON { try output.line(json(row)) } else { try print(row, names, to: output) }
    }
    progress.finish()
    return status
  }

  private func json(_ row: Blame.Row) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("table", row.table)
      json.member("key") { $0.key(row.key) }
      json.member("held") { $0.bool(row.isHeld) }
      json.object("cells") { json in
        for cell in row.cells { json.member(cell.column) { write(cell, to: &$0) } }
      }
    }
    return json.text
  }

  private func write(_ cell: Blame.Cell, to json: inout JSONWriter) {
    json.object { json in
      json.member("value") { $0.value(cell.value) }
      guard let author = cell.author else { return }
      if author == .earliest { return json.member("settled") { $0.bool(true) } }
      json.member("peer", author.peer.description)
      json.member("sequence", author.sequence.rawValue)
      json.stampMembers(author.time)
    }
  }

  private func print(
    _ row: Blame.Row, _ names: [PeerIdentity: String], to output: Output
  ) throws {
    let place = "\(Escaping.escaped(row.table)) \(Literal.key(row.key))"
    try output.line(output.styled(place, .bold) + (row.isHeld ? "  held" : ""))
    var table = TextTable(
      ["COLUMN", "VALUE", "TIME", "TRANSACTION", "PEER"], indentation: "  ", to: output)
    for cell in row.cells {
      let isSettled = cell.author == .earliest
      let author = isSettled ? nil : cell.author
      try table.append([
        Escaping.escaped(cell.column), Literal.text(cell.value),
        author.map { Self.text($0.time) } ?? (isSettled ? "before the horizon" : "default"),
        author.map { "\($0.peer):\($0.sequence)" } ?? "",
        author.flatMap { names[$0.peer] }.map(Escaping.escaped) ?? "",
      ])
    }
    try table.finish()
  }

  /// Returns the time as text. Rows that existed when the database was attached are older than any
  /// write.
  private static func text(_ time: HybridTime) -> String {
    time.milliseconds == 0 ? "adopted" : Timestamp.text(milliseconds: time.milliseconds)
  }
}
