import TributaryCore
import TributaryInspection
import TributaryLog
import TributaryReplay

/// `tributary log diff`: prints the rows that differ between two moments.
struct LogDiffCommand: Command {
  private static let from = CommandOption(
    "from", argument: "MOMENT", help: "the earlier one; without it, an empty database")
  private static let to = CommandOption(
    "to", argument: "MOMENT", help: "the later one; without it, all that there is")

  static let syntax = Syntax(
    "log diff", summary: "show the rows that differ between two moments", operands: [.paths],
    options: [from, to, FilterArguments.table, FilterArguments.key, .loadExtension, .json],
    details: """
      PATH is a container, a content directory, the directory of a peer, or a segment.
      The command replays both moments into temporary databases, in TMPDIR or /tmp,
      and compares them. A value that was changed and changed back in between is not a
      difference.

      \(MomentArguments.details)

      \(MomentArguments.incomplete)
      """)

  private let paths: [String]
  private let extensions: [String]
  private let earlier: Moment?
  private let later: Moment?
  private let isFromEmpty: Bool
  private let filter: TransactionFilter
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    extensions = arguments.all(.loadExtension)
    paths = arguments.operands
    earlier = try MomentArguments.moment(arguments, Self.from)
    later = try MomentArguments.moment(arguments, Self.to)
    isFromEmpty = earlier == nil
    filter = try FilterArguments.rows(arguments)
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    var status = ExitStatus.done
    var reported: Set<String> = []
    let logs = try LogSearch().logs(at: paths)
    let before = try MomentArguments.store(
      of: logs, extensions, at: isFromEmpty ? .beginning : earlier, &status, &reported, output)
    defer { before.remove() }
    let after = try MomentArguments.store(
      of: logs, extensions, at: later, &status, &reported, output)
    defer { after.remove() }
    // The later moment has everything that the earlier one has.
    if let beginning = after.beginning { output.note(beginning) }
    var filter = filter
    filter.followNames(beside: logs)
    try MomentDifference(from: before, to: after).forEachRow(filter) { row in
      if printsJSON { try output.line(json(row)) } else { try print(row, to: output) }
    }
    return status
  }

  private func json(_ row: MomentDifference.Row) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("table", row.table)
      json.member("op", row.operation.rawValue)
      json.member("key") { $0.key(row.key) }
      for (name, value) in [("before", \MomentDifference.Column.before), ("after", \.after)] {
        json.object(name) { json in
          for column in row.columns {
            if let value = column[keyPath: value] { json.member(column.name) { $0.value(value) } }
          }
        }
      }
    }
    return json.text
  }

  private func print(_ row: MomentDifference.Row, to output: Output) throws {
    let style: Style =
      switch row.operation {
      case .insert: .green
      case .update: .yellow
      case .delete: .red
      }
    let place = "\(Escaping.escaped(row.table)) \(Literal.key(row.key))"
    let columns = row.columns.map { column in
      let values = [column.before, column.after].compactMap { $0.map(Literal.text) }
      return "\(Escaping.escaped(column.name))=\(values.joined(separator: " -> "))"
    }
    try output.line(
      ([output.styled(row.operation.rawValue, style), place] + columns).joined(separator: " "))
  }
}
