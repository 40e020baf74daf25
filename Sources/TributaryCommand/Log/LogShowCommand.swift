import TributaryInspection

/// `tributary log show`: prints transactions with their changes.
struct LogShowCommand: Command {
  static let syntax = Syntax(
    "log show", summary: "show transactions with their changes", operands: [.paths],
    options: FilterArguments.options + [.json],
    details: """
      PATH is a container, a content directory, the directory of a peer, or a segment.
      The transactions of several peers are merged by their stamps. Damaged files are
      reported, and the exit status is then 3.


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
    let reading = try LogReading(paths, filter, output)
    try reading.forEach("reading") { transaction in
      try TransactionPrinter.print(
        transaction, name: reading.names[transaction.peer], printsJSON: printsJSON, to: output)
    }
    return reading.status
  }
}
