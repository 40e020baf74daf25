import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryReplay

/// `tributary log verify`: reads every file to its end and checks everything that can be checked
/// without a store.
struct LogVerifyCommand: Command {
  static let syntax = Syntax(
    "log verify", summary: "check files, their names, and how transactions follow each other",
    operands: [.paths], options: [.json],
    details: """
      PATH is a container, a content directory, the directory of a peer, or a segment.
      The command reads segments and the baselines beside them to their ends. Each
      damage is a line, and the exit status is then 3. Damage is: a file that is cut
      off, changed or under a wrong name; two files with different transactions under
      one sequence; a transaction with an earlier stamp than one that it knew; and
      forgotten history that no whole baseline contains.

      Other missing transactions are named too, but are not damage, since they may
      still arrive. The same applies to the baseline of a horizon above which a
      segment is written; without it, the command does not check what the author knew
      beneath the horizon. Where devices have forgotten the beginning, the command
      names the baseline with which the history begins.
      """)

  private let paths: [String]
  private let printsJSON: Bool

  init(_ arguments: Arguments) {
    paths = arguments.operands
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let logs = try LogSearch().logs(at: paths)
    if logs.isEmpty { output.note("no logs here: \(paths.joined(separator: ", "))") }
    let progress = ProgressLine(output)
    let verification = LogVerification(
      logs, progress: { progress.show("verifying", done: $0, total: $1) },
      report: { finding in
        try output.line(
          printsJSON
            ? json(finding)
            : "\(Escaping.escaped(finding.path)): \(Escaping.escaped(finding.message))")
      })
    let result = try verification.run()
    progress.finish()
    if printsJSON {
      for beginning in result.beginnings.compactMap(\.baseline) {
        var json = JSONWriter()
        json.object { $0.member(beginning: beginning) }
        try output.line(json.text)
      }
    } else {
      try printText(result, to: output)
    }
    return result.damageCount == 0 ? .done : .damage
  }

  private func json(_ finding: LogFinding) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("path", finding.path)
      json.member("message", finding.message)
    }
    return json.text
  }

  private func printText(_ result: LogVerification.Result, to output: Output) throws {
    for beginning in result.beginnings.compactMap(\.baseline) {
      try output.line(Escaping.escaped(beginning.text))
    }
    for (path, declaration) in result.unresolved {
      try output.line(
        "\(Escaping.escaped(path)): what its author knew is above the horizon \(declaration.lowerHex), which no "
          + "baseline here declares: not checked beneath that")
    }
    for gap in result.gaps {
      let range =
        gap.missing.lowerBound == gap.missing.upperBound
        ? "transaction \(gap.missing.lowerBound)"
        : "transactions \(gap.missing.lowerBound) to \(gap.missing.upperBound)"
      try output.line("gap: \(range) of \(gap.peer) not here")
    }
    for unknown in result.unknown {
      try output.line(
        "gap: \(unknown.peer) not here up to transaction \(unknown.last), "
          + "which \(unknown.knower) knew"
      )
    }
    let damage = result.damageCount == 0 ? "no damage" : "\(result.damageCount) damaged"
    try output.confirm(
      "\(counted(result.peerCount, "peer")), \(counted(result.fileCount, "segment")), "
        + "\(counted(result.transactionCount, "transaction")): \(damage)")
  }
}
