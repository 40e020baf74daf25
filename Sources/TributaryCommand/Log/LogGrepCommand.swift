import TributaryCore
import TributaryInspection

/// `tributary log grep`: prints the history of a value across all peers.
struct LogGrepCommand: Command {
  private static let value = CommandOption(
    "value", help: "the value as a whole equals PATTERN, read as --key does")
  private static let fixedStrings = CommandOption(
    "fixed-strings", short: "F", help: "PATTERN is a string, not a regular expression")
  private static let ignoreCase = CommandOption(
    "ignore-case", short: "i", help: "upper and lower case ASCII letters are equal")
  private static let column = CommandOption(
    "column", argument: "NAME", isRepeatable: true,
    help: "look only in this column, by any name that it has had")
  private static let count = CommandOption(
    "count", short: "c", help: "print only how many changes match")

  static let syntax = Syntax(
    "log grep", summary: "find the changes that contain a value, across all peers",
    operands: [Operand("PATTERN", .text), .paths],
    options: FilterArguments.options
      + [value, fixedStrings, ignoreCase, column, count, .json],
    exclusive: [[value, fixedStrings]],
    details: """
      PATTERN is a POSIX extended regular expression, see regex(7). The command looks
      for it in all columns of inserted rows, in the key and the changed columns of
      updates, and in the key of deletes. Text and blobs are matched as bytes, numbers
      by their decimal digits as `log show` prints them; NULL matches nothing. Letters
      are those of ASCII: a dot is one byte, and not NUL.

      With --value, PATTERN is a value as `log show` prints it, or a text without its
      quotes: 7 finds the numbers 7 and 7.0 and the text '7', and NULL finds NULLs. An
      empty PATTERN matches every change: with --table and --key it shows the whole
      history of a row.

      Each match is a line: peer and sequence, time, the name of the peer, what was
      done to which row, and the columns that match. Long values are cut off around
      the match. With --json a line is the change with all its values, and "matched"
      names the columns. Changes come in order of their stamps, each once.

      The exit status is 0 even if nothing matches. Damaged files are reported and the
      others searched; the exit status is then 3.


      """ + FilterArguments.details)

  private let paths: [String]
  private let filter: TransactionFilter
  private let pattern: ValuePattern
  private let columns: ColumnFilter
  private let printsCount: Bool
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    paths = Array(arguments.operands.dropFirst())
    filter = try FilterArguments.filter(arguments)
    columns = ColumnFilter(arguments.all(Self.column))
    printsCount = arguments.has(Self.count)
    printsJSON = arguments.has(.json)
    let text = arguments.operands[0]
    let ignoresCase = arguments.has(Self.ignoreCase)
    if arguments.has(Self.value) {
      pattern = .whole(try FilterArguments.candidates(text), ignoringCase: ignoresCase)
    } else if arguments.has(Self.fixedStrings) {
      pattern = .fixed(text, ignoringCase: ignoresCase)
    } else {
      do throws(PatternError) {
        pattern = try .expression(text, ignoringCase: ignoresCase)
      } catch {
        throw UsageError("PATTERN '\(text)': \(error)")
      }
    }
  }

  func run(to output: Output) throws -> ExitStatus {
    let reading = try LogReading(paths, filter, output)
    var columns = columns
    columns.followNames(beside: reading.logs)
    var search = ChangeSearch(pattern, columns: columns)
    var matched: [Int] = []
    var count = 0
    try reading.forEach("searching") { transaction in
      var found = 0
      var printer: MatchPrinter?
      do {
        while let (change, shape) = try transaction.nextChange() {
          guard try search.matches(change, shape, in: transaction.contentName, &matched) else {
            continue
          }
          found += 1
          if printsCount { continue }
          if printer == nil {
            printer = MatchPrinter(
              transaction, pattern, name: reading.names[transaction.peer], printsJSON: printsJSON,
              to: output)
          }
          try printer?.print(change, shape, matched)
        }
      } catch let error as OutputError {
        throw error
      } catch {
        try printer?.abandon()
        throw error
      }
      try printer?.end()
      count += found
    }
    if printsCount {
      try output.line(printsJSON ? "{\"count\":\(count)}" : String(count))
    }
    return reading.status
  }
}
