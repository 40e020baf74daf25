import TributaryContainer
import TributaryCore
import TributaryInspection
import TributaryReplay

/// `tributary log export`: prints transactions as SQL or JSON, for other programs.
struct LogExportCommand: Command {
  private static let format = CommandOption(
    "format", argument: "FORMAT", kind: .choice(["sql", "json"]), help: "sql (unless given) or json"
  )
  private static let schema = CommandOption(
    "schema", help: "with the statements that make tables, indexes, triggers and views")

  static let syntax = Syntax(
    "log export", summary: "write transactions as SQL or JSON, for other programs",
    operands: [.paths], options: FilterArguments.options + [format, schema],
    details: """
      Writes the transactions in order of their stamps, each once. As SQL, each is a
      BEGIN … COMMIT with a comment that gives peer, sequence, time and the peer's
      name. The script is for sqlite3 and a database with the same tables and without
      triggers; values read back exactly. With --schema the script first makes the
      tables of the newest schema in any peer.json, and makes indexes, triggers and
      views after the data, so that it runs in an empty database. Tables and columns
      have their newest names; dropped ones are left out:

          tributary log export --schema DIR | sqlite3 -bail new.db

      The script of one peer that has imported nothing gives the contents of its
      database. The script of several peers applies their writes one after another. It
      does not reproduce the rest of merging: rows held back by UNIQUE or foreign
      keys, rows that get another number, and the columns of tables that merge by row.
      Counters are added up; SQLite turns a counter of over 64 bits into a real
      number. A transaction that exchanges UNIQUE values between rows fails in
      sqlite3, unless a CREATE INDEX makes them unique and --schema writes it.

      As JSON, each change is a line; for an update of a counter it gives the
      difference.

      What cannot be read is reported and left out, and the exit status is then 3.


      """ + FilterArguments.details)

  private let paths: [String]
  private let filter: TransactionFilter
  private let writesJSON: Bool
  private let writesSchema: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    paths = arguments.operands
    filter = try FilterArguments.filter(arguments)
    let format = arguments[Self.format] ?? "sql"
    guard ["sql", "json"].contains(format) else {
      throw UsageError("--format takes sql or json, not '\(format)'")
    }
    writesJSON = format == "json"
    writesSchema = arguments.has(Self.schema)
    if writesJSON, writesSchema { throw UsageError("--schema is for --format sql") }
  }

  func run(to output: Output) throws -> ExitStatus {
    let reading = try LogReading(paths, filter, output)
    if writesJSON {
      try reading.forEach("exporting") { try printJSON($0, to: output) }
      return reading.status
    }
    try checkContents(reading)
    let manifests = manifests(reading, output)
    var schema: SchemaScript?
    if writesSchema {
      schema = try SchemaScript(manifests.sorted { $0.peer < $1.peer }.map(\.schema))
      if schema == nil {
        throw TextError(
          "no peer.json with a schema at \(paths.joined(separator: ", ")); name a container, or "
            + "leave --schema out")
      }
    }
    let declarations = Dictionary(
      manifests.map { ($0.peer, MergeDeclarations($0.schema)) }, uniquingKeysWith: { $1 })
    let printer = ScriptPrinter(
      names: reading.names, declarations: declarations, schema: schema, to: output)
    try printer.begin()
    try reading.forEach("exporting") { try printer.print($0) }
    try printer.end()
    return reading.status
  }

  /// Checks that the logs belong to one database, as a script requires.
  private func checkContents(_ reading: LogReading) throws {
    guard let name = reading.segments.first?.header.contentName,
      let other = reading.segments.first(where: {
        !$0.header.contentName.utf8.elementsEqual(name.utf8)
      })?.header.contentName
    else { return }
    throw TextError(
      "there are several content names, as \(name.debugDescription) and "
        + "\(other.debugDescription), each a database; name the directory of one")
  }

  private func manifests(_ reading: LogReading, _ output: Output) -> [PeerManifest] {
    var manifests: [PeerManifest] = []
    var known: Set<PeerIdentity> = []
    for log in reading.logs {
      guard let manifest = LogSearch().manifest(of: log), known.insert(manifest.peer).inserted
      else { continue }
      manifests.append(manifest)
    }
    for peer in Set(reading.segments.map(\.header.peer)).subtracting(known).sorted() {
      output.warn(
        "no peer.json of \(peer) can be read: if it has counters, their updates are treated as "
          + "values")
    }
    return manifests
  }

  private func printJSON(_ transaction: LogTransaction, to output: Output) throws {
    var held = HeldOutput(output)
    do {
      while let (change, shape) = try transaction.nextChange() {
        held.bytes += ExportedChange.json(try DecodedChange(change, shape), of: transaction).bytes
        held.bytes.append(UInt8(ascii: "\n"))
        try held.releaseLarge()
      }
    } catch let error as OutputError {
      throw error
    } catch {
      try held.abandon(ExportedChange.incomplete(transaction) + "\n")
      throw error
    }
    if !held.bytes.isEmpty { try held.release() }
  }
}
