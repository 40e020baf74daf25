import TributaryCore
import TributaryFiles
import TributarySync

/// `tributary doctor`: prints what is wrong, why a device is behind, and what to do about it.
struct DoctorCommand: Command {
  static let syntax = Syntax(
    "doctor", summary: "find out what is wrong, or why a device is behind, and what to do",
    operands: [.storeOrContainer], options: [.json],
    details: """
      Examines a store and its container, or a container alone, with the packages of
      documents. It reads everything and changes nothing. Each finding is a line:
      note, warning or damage, what was found, and the remedy. The exit status is 3 if
      there are warnings or damage; notes do not count. The last line about a store
      gives the space that it takes.
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
    let findings = try findings(isDirectory) { progress.show($0) }
    let use = isDirectory ? nil : diskUse()
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
    if let use { try print(use, to: output) }
    return findings.contains { $0.severity != .note } ? .damage : .done
  }

  private func findings(
    _ isDirectory: Bool, _ progress: @escaping (Progress) -> Void
  ) throws -> [Finding] {
    if DocumentArguments.isDocument(path) { return try DocumentArguments.findings(ofPackage: path) }
    let findings =
      try isDirectory
      ? Engine.diagnose(container: path, progress: progress)
      : DocumentArguments.namingRemedy(of: Engine.diagnose(store: path, progress: progress), path)
    return try DocumentArguments.findings(path, isDirectory: isDirectory)
      + findings.map { KeyValueArguments.namingRemedy(of: $0) }
  }

  /// Returns how much space the store takes; `nil` if that cannot be measured, in which case the findings
  /// have the reason.
  private func diskUse() -> DiskUse? { try? Engine.diskUse(store: path) }

  private func print(_ use: DiskUse, to output: Output) throws {
    let finding = Finding(
      .diskUse, .note, path: path, "disk use: " + use.lines.joined(separator: "; "),
      remedy: "nothing needs to be done")
    if printsJSON {
      try output.line(Self.json(finding, use))
    } else {
      try output.confirm(output.shown(finding.explanation))
    }
  }

  private static func json(_ finding: Finding, _ use: DiskUse? = nil) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("finding", finding.code.rawValue)
      json.member("severity", finding.severity.rawValue)
      if let peer = finding.peer { json.member("peer", peer.description) }
      if let path = finding.path { json.member("path", path) }
      json.member("explanation", finding.explanation)
      json.member("remedy", finding.remedy)
      if let use { json.object("space") { use.write(to: &$0) } }
    }
    return json.text
  }
}
