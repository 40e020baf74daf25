import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryInspection

/// `tributary log report`: makes a page about logs for a browser.
struct LogReportCommand: Command {
  private static let output = CommandOption(
    "output", short: "o", argument: "FILE", kind: .file,
    help: "where the page goes; - is standard output, as without this option")
  private static let title = CommandOption(
    "title", argument: "TEXT", help: "the heading of the page, instead of the content names")

  static let syntax = Syntax(
    "log report", summary: "write a page about logs: who wrote what when, and who knows of it",
    operands: [.paths], options: [output, title] + FilterArguments.options,
    details: """
      PATH is a container, a content directory, the directory of a peer, or a
      segment. Everything there is read to its end and checked, as by `log verify`,
      and nothing is written there.

      The page is one HTML file that needs no network and no other file, for any
      present browser, in light and dark: a time line with a lane for each peer;
      each transaction with its size and its tables, and with arrows to those that it
      newly knew and those that first knew it; what each peer has imported, who is
      behind, and what waits for what; tables; growth by day; writes of one row that
      did not know of each other; damage and gaps. It holds names of peers, tables,
      columns and files, and keys of rows with such writes, and no other values.

      The newest 200,000 transactions are in it one by one, older ones as sums, so
      that its size is bounded. Rows that were written take room in a temporary file
      while it is made.

      FILE is written under a temporary name beside it and takes its name when it is
      whole; a file of that name is replaced. Without --output the page goes to
      standard output, unless that is a terminal.

      The options that select something concern the time line, the sizes, the tables
      and the concurrent writes. What peers have imported, damage and gaps are always
      of everything at PATH. Damage is reported on standard error and is in the page;
      the exit status is then 3.

      """ + FilterArguments.details)

  private let paths: [String]
  /// The file; `nil` means standard output.
  private let file: String?
  private let title: String?
  private let filter: TransactionFilter
  private let filterText: String

  init(_ arguments: Arguments) throws(UsageError) {
    paths = arguments.operands
    let path = try arguments.nonempty(Self.output)
    file = path == "-" ? nil : path
    title = try arguments.nonempty(Self.title)
    filter = try FilterArguments.filter(arguments)
    filterText = FilterArguments.options.flatMap { option in
      arguments.all(option).map { "--\(option.long) \($0)" }
    }.joined(separator: " ")
  }

  func run(to output: Output) throws -> ExitStatus {
    if file == nil, output.isTerminal {
      throw UsageError("the page is not for a terminal; name a file with --output FILE")
    }
    let target = try file.map { try ReportFile($0) }
    var status = ExitStatus.done
    let progress = ProgressLine(output)
    let collector = ReportCollector(
      filter: filter, progress: { progress.show("reading", done: $0, total: $1) },
      report: { finding in
        output.report(finding)
        status = .damage
      })
    var report = try collector.collect(paths)
    progress.finish()
    if report.peers.isEmpty { output.note("no logs here: \(paths.joined(separator: ", "))") }
    if let beginning = report.beginning { output.note(beginning) }
    report.title = title ?? report.contents.joined(separator: ", ")
    report.filter = filterText
    let page = ReportPage.bytes(of: report)
    guard let target else {
      try output.write(page)
      return status
    }
    try target.write(page)
    try output.confirm(
      "\(Escaping.escaped(target.path)): \(counted(report.peers.count, "peer")), "
        + "\(counted(report.total.transactions, "transaction")), \(counted(page.count, "byte"))")
    return status
  }
}
