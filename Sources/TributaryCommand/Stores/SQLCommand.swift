import TributaryCore
import TributaryFiles
import TributaryStore

/// `tributary sql`: runs SQL with capture.
struct SQLCommand: Command {
  private enum Source {
    case text(String)
    case file(String)
    case standardInput
  }

  private static let file = CommandOption(
    "file", argument: "FILE", kind: .file, help: "read the SQL from a file; - is standard input")
  private static let json = CommandOption("json", help: "one JSON object a row")
  private static let csv = CommandOption("csv", help: "comma-separated values with a header line")
  private static let param = CommandOption(
    "param", argument: "VALUE", isRepeatable: true, help: "bind the next parameter, from the first")

  private static let basedOn = CommandOption(
    "based-on", argument: "VERSION",
    help: "the version on which the write is based: what came later is concurrent with it")

  static let syntax = Syntax(
    "sql", summary: "run SQL; what it writes is shared by the next sync",
    operands: [.store, Operand("SQL", .text, isOptional: true)],
    options: [file, json, csv, param, basedOn], exclusive: [[json, csv]],
    details: """
      The whole script is one transaction unless it contains BEGIN; a savepoint
      outside such a transaction is then a transaction, too. After PRAGMA
      foreign_keys=OFF, as in a dump, references are checked when a transaction
      commits. Without SQL and --file, the script is read from standard input. Rows
      are printed in aligned columns on a terminal, and otherwise separated by tabs,
      without a header. With --json, the second column called a is a:1, the third a:2.

      VALUE is a number written as in SQL, a blob x'0123', NULL, or else text. In
      single quotes ('123', with quotes inside doubled) it is always text. Each
      statement takes as many of the values as it has parameters.

      VERSION is the "version" that 'tributary status --json' prints.

      If the script writes to a table that has stopped, those rows stay on this
      device, and a warning names the table.
      """)

  private let store: String
  private let source: Source
  private let format: RowFormat
  private let parameters: [Value]
  private let version: TributaryStore.Version?

  init(_ arguments: Arguments) throws(UsageError) {
    store = arguments.operands[0]
    if arguments.operands.count > 1 {
      guard !arguments.has(Self.file) else { throw UsageError("SQL and --file exclude each other") }
      source = .text(arguments.operands[1])
    } else if let path = try arguments.nonempty(Self.file) {
      source = path == "-" ? .standardInput : .file(path)
    } else {
      source = .standardInput
    }
    format = arguments.has(Self.json) ? .json : arguments.has(Self.csv) ? .csv : .text
    var parameters: [Value] = []
    for text in arguments.all(Self.param) { parameters.append(try ParameterText.value(text)) }
    self.parameters = parameters
    version = try arguments[Self.basedOn].map { text throws(UsageError) in
      guard let version = TributaryStore.Version(text) else {
        throw UsageError("'\(text)' is no version")
      }
      return version
    }
  }

  func run(to output: Output) throws -> ExitStatus {
    let script = try script(output)
    let store = try LocalStore(path: store, milliseconds: SystemClock().milliseconds)
    let written = WrittenTables()
    store.observation.tell(written)
    var printer = format.makePrinter(output)
    do {
      try store.run(script: script, parameters: parameters, basedOn: version) {
        try printer.print($0)
      }
    } catch let error as OutputError {
      output.hasDone("what the script had not committed by then is rolled back")
      throw error
    } catch {
      // Rows that came before the failure are printed, as they would be without --json.
      try printer.finish()
      guard var error = error as? StoreError, error.code == .transactionControl else { throw error }
      error.remedy = "leave it out: the whole script is one transaction unless it says BEGIN itself"
      throw error
    }
    output.hasDone("what the script wrote is committed")
    try printer.finish()
    try warn(of: written.all, in: store, output)
    return .done
  }

  /// Warns about tables among those written whose replication has stopped.
  private func warn(of written: Set<SQLName>, in store: LocalStore, _ output: Output) throws {
    if written.isEmpty { return }
    for table in try store.service({ try StoppedTables($0).findings(of: written) }) {
      output.warn("\(self.store): what was written stays here: \(table)")
    }
  }

  private func script(_ output: Output) throws -> String {
    switch source {
    case .text(let text): return text
    case .file(let path): return try SQLText.decode(WholeFile.read(path), path)
    case .standardInput:
      guard let bytes = try output.readInput() else {
        throw UsageError("SQL is missing, and standard input is a terminal")
      }
      return try SQLText.decode(bytes, "standard input")
    }
  }
}
