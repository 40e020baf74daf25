import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog

/// `tributary log show`: transactions with their changes.
struct LogShowCommand: Command {
  private static let peer = CommandOption(
    "peer", argument: "HEX", isRepeatable: true,
    help: "only of this peer; its first digits are enough")
  private static let table = CommandOption(
    "table", argument: "NAME", isRepeatable: true, help: "only changes of this table")
  private static let from = CommandOption(
    "from", argument: "SEQ", help: "only from this sequence on")
  private static let to = CommandOption("to", argument: "SEQ", help: "only up to this sequence")
  private static let since = CommandOption(
    "since", argument: "TIME", help: "only from this time on")
  private static let until = CommandOption("until", argument: "TIME", help: "only up to this time")

  static let syntax = Syntax(
    "log show", summary: "show transactions with their changes", operands: [.paths],
    options: [peer, table, from, to, since, until, .json],
    details: """
      PATH is a container, a content directory, the directory of a peer, or a
      segment. The transactions of several peers are merged by their stamps. TIME is
      as in RFC 3339, or milliseconds since 1970. Damaged files are reported, and the
      exit status is then 3.
      """)

  private let paths: [String]
  private let filter: TransactionFilter
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    paths = arguments.operands
    printsJSON = arguments.has(.json)
    var filter = TransactionFilter()
    filter.tables = arguments.all(Self.table)
    for text in arguments.all(Self.peer) {
      let digits = text.lowercased()
      guard (1...32).contains(digits.utf8.count),
        digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
      else { throw UsageError("--peer takes 1 to 32 hexadecimal digits, not '\(text)'") }
      filter.peerPrefixes.append(digits)
    }
    let from = try Self.sequence(arguments, Self.from) ?? .zero
    let to = try Self.sequence(arguments, Self.to) ?? .max
    guard from <= to else { throw UsageError("--from is after --to") }
    filter.sequences = from...to
    let since = try Self.time(arguments, Self.since) ?? 0
    let until = try Self.time(arguments, Self.until) ?? HybridTime.maximumMilliseconds
    guard since <= until else { throw UsageError("--since is after --until") }
    filter.times = since...until
    self.filter = filter
  }

  private static func sequence(
    _ arguments: Arguments, _ option: CommandOption
  ) throws(UsageError) -> SequenceNumber? {
    guard let text = arguments[option] else { return nil }
    guard let number = UInt64(text), number <= SequenceNumber.max.rawValue else {
      throw UsageError("--\(option.long) takes a sequence, not '\(text)'")
    }
    return SequenceNumber(number)
  }

  private static func time(
    _ arguments: Arguments, _ option: CommandOption
  ) throws(UsageError) -> UInt64? {
    guard let text = arguments[option] else { return nil }
    guard let time = Timestamp.milliseconds(text), time <= HybridTime.maximumMilliseconds else {
      throw UsageError(
        "--\(option.long) takes a time as in RFC 3339 or milliseconds since 1970, not '\(text)'")
    }
    return time
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
    if filter.tables.isEmpty { printer.begin() }
    while let change = try cursor.nextChange() {
      let shape = cursor.shape(of: change)
      guard filter.includes(table: shape.table) else { continue }
      try printer.print(DecodedChange(change, shape))
    }
    try printer.end()
  }
}
