import TributaryContainer
import TributaryCore
import TributaryInspection

/// What the commands that read logs to their end have in common: finding them, telling of damage and
/// of progress.
final class LogReading {
  let logs: [PeerLog]
  /// Of those that the filter does not rule out.
  let segments: [LogSegment]
  /// What people call the peers.
  let names: [PeerIdentity: String]
  /// Whether damage was found.
  private(set) var status = ExitStatus.done

  private let filter: TransactionFilter
  private let output: Output

  /// - Throws: for a path that cannot be searched.
  init(_ paths: [String], _ filter: TransactionFilter, _ output: Output) throws {
    self.filter = filter
    self.output = output
    logs = try LogSearch().logs(at: paths)
    if logs.isEmpty { output.note("no logs here: \(paths.joined(separator: ", "))") }
    names = logs.names
    var status = ExitStatus.done
    segments = try LogSegments.read(logs) { finding in
      output.report(finding)
      status = .damage
    }.filter { filter.includes($0.header) }
    self.status = status
  }

  /// - Parameter stage: what the progress is called.
  /// - Throws: what the body throws, but for damage, which is reported.
  func forEach(_ stage: String, _ body: (LogTransaction) throws -> Void) throws {
    let progress = ProgressLine(output)
    defer { progress.finish() }
    let walk = LogWalk(segments, filter) { progress.show(stage, done: $0, total: $1) }
    try walk.run(
      report: { finding in
        output.report(finding)
        status = .damage
      }, body)
  }
}

extension [PeerLog] {
  /// What people call the peers, where somebody knows.
  var names: [PeerIdentity: String] {
    var names: [PeerIdentity: String] = [:]
    for log in self { if let peer = log.peer, let name = log.name { names[peer] = name } }
    return names
  }
}
