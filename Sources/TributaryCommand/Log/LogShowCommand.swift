import TributaryContainer
import TributaryCore
import TributaryInspection

/// `tributary log show`: transactions with their changes.
struct LogShowCommand: Command {
  static let syntax = Syntax(
    "log show", summary: "show transactions with their changes", operands: [.paths],
    options: FilterArguments.options + [.json],
    details: """
      PATH is a container, a content directory, the directory of a peer, or a
      segment. The transactions of several peers are merged by their stamps. Damaged
      files are reported, and the exit status is then 3.

      """ + FilterArguments.details)

  private let paths: [String]
  private let filter: TransactionFilter
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    paths = arguments.operands
    printsJSON = arguments.has(.json)
    filter = try FilterArguments.filter(arguments)
  }

  func run(to output: Output) throws -> ExitStatus {
    var status = ExitStatus.done
    func report(_ finding: LogFinding) {
      output.report(finding)
      status = .damage
    }
    let logs = try LogSearch().logs(at: paths)
    var names: [PeerIdentity: String] = [:]
    for log in logs { if let peer = log.peer, let name = log.name { names[peer] = name } }
    let segments = try LogSegments.read(logs, report: report).filter { filter.includes($0.header) }
    try withoutActuallyEscaping(report) { report in
      let stream = LogStream(segments, report: report)
      while let copies = stream.next() {
        var times: [HybridTime] = []
        for cursor in copies {
          guard let transaction = cursor.transaction, filter.includes(transaction),
            !times.contains(transaction.time)
          else { continue }
          var printer = TransactionPrinter(
            cursor, transaction, name: names[cursor.peer], printsJSON: printsJSON, to: output)
          do {
            try print(cursor, with: &printer)
            times.append(transaction.time)
          } catch let error as OutputError {
            throw error
          } catch {
            try printer.abandon()
            stream.abandon(cursor, error)
          }
        }
      }
    }
    return status
  }

  private func print(_ cursor: SegmentCursor, with printer: inout TransactionPrinter) throws {
    if !filter.selectsChanges { printer.begin() }
    while let change = try cursor.nextChange() {
      let shape = cursor.shape(of: change)
      guard try filter.includes(change, shape) else { continue }
      try printer.print(DecodedChange(change, shape))
    }
    try printer.end()
  }
}
