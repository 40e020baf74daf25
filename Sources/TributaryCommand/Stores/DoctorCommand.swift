import TributaryCore
import TributaryFiles
import TributarySync

/// `tributary doctor`: prints what is wrong, why a device is behind, and what to do about it.
struct DoctorCommand: Command {
  static let syntax = Syntax(
    "doctor", summary: "find out what is wrong, or why a device is behind, and what to do",
    operands: [.storeOrContainer], options: [.json],
    details: """
      Looks at a store and its container, or at a container alone, reads all of it,
      and changes nothing. Each finding is a line: note, warning or damage, what was
      found, and the remedy. The exit status is 3 when there are warnings or damage;
      notes do not count.
      """)

  private let path: String
  private let printsJSON: Bool

  init(_ arguments: Arguments) {
    path = arguments.operands[0]
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let progress = ProgressLine(output)
    let isDirectory = try LocalFileSystem().status(path)?.kind == .directory
    let findings =
      try isDirectory
      ? Engine.diagnose(container: path) { progress.show($0) }
      : Engine.diagnose(store: path) { progress.show($0) }
    progress.finish()
    for finding in findings {
      if printsJSON {
        try output.line(Self.json(finding))
      } else {
        let line = Escaping.escaped(finding.description)
        try output.line(finding.severity == .note ? line : output.styled(line, .yellow))
      }
    }
    if findings.isEmpty, !printsJSON { try output.confirm("Nothing found.") }
    return findings.contains { $0.severity != .note } ? .damage : .done
  }

  private static func json(_ finding: Finding) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("finding", finding.code.rawValue)
      json.member("severity", finding.severity.rawValue)
      if let peer = finding.peer { json.member("peer", peer.description) }
      if let path = finding.path { json.member("path", path) }
      json.member("explanation", finding.explanation)
      json.member("remedy", finding.remedy)
    }
    return json.text
  }
}
