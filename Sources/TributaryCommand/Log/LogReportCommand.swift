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
      PATH is a container, a content directory, the directory of a peer, or a segment.
      The command reads and checks all of it, as `log verify` does, and writes nothing
      there.

      The page is one HTML file that needs no network and no other file, for any
      current browser, in light and dark. It shows a time line with a lane for each
      peer; each transaction with its size and tables, and with arrows from the
      transactions that it newly knew and to those that first knew it; what each peer
      has imported, who is behind, and what waits for what; tables; growth by day;
      concurrent writes of the same row; damage and gaps. It contains names of peers,
      tables, columns and files, and the keys of rows with concurrent writes, and no
      other values.

      The newest 200,000 transactions are shown one by one and older ones as sums, so
      that the size of the page is bounded. While the page is made, the rows that were
      written take space in a temporary file.

      FILE is written under a temporary name beside it, and replaces a file of its
      name once it is complete. Without --output the page goes to standard output,
      unless that is a terminal.

      The options that select transactions apply to the time line, the sizes, the
      tables and the concurrent writes. What peers have imported, damage and gaps are
      always shown for everything at PATH. Damage is reported on standard error and in
      the page; the exit status is then 3.


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
