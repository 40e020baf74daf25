import TributaryCore
import TributaryInspection
import TributaryReplay

/// The common part of the commands that read logs to their end: finding the logs, and reporting damage and
/// progress.
final class LogReading {
  let logs: [PeerLog]
  /// The segments that the filter does not exclude.
  let segments: [LogSegment]
  /// The readable names of the peers.
  let names: [PeerIdentity: String]
  /// The baselines with which histories begin, if what they stand for would be selected.
  let beginnings: [LogBaseline]
  /// Whether damage was found.
  private(set) var status = ExitStatus.done

  private let filter: TransactionFilter
  private let output: Output

  /// Finds the logs.
  ///
  /// - Throws: for a path that cannot be searched.
  init(_ paths: [String], _ filter: TransactionFilter, _ output: Output) throws {
    let logs = try LogSearch().logs(at: paths)
    var wanted = filter
    wanted.followNames(beside: logs)
    self.filter = wanted
    self.output = output
    self.logs = logs
    if logs.isEmpty { output.note("no logs here: \(paths.joined(separator: ", "))") }
    names = logs.names
    var status = ExitStatus.done
    let report = { (finding: LogFinding) in
      output.report(finding)
      status = .damage
    }
    let found = try LogSegments.read(logs, report: report)
    let segments = ContentNames(of: found).fitting(found, report: report)
    self.segments = segments.filter { filter.includes($0.header) }
    beginnings = LogBeginning.find(
      beside: logs, having: LogCoverage(segments),
      // A baseline that is not named need not be read.
      check: { if filter.reachesBeneath($0) { try $0.checkWhole() } }, report: report
    ).compactMap(\.baseline).filter(filter.reachesBeneath)
    self.status = status
    for beginning in beginnings { output.note(beginning) }
  }

  /// Reads the transactions.
  ///
  /// - Parameter stage: the name of the progress.
  /// - Throws: what the body throws, except for damage, which is reported.
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
  /// The readable names of the peers, as far as they are known.
  var names: [PeerIdentity: String] {
    var names: [PeerIdentity: String] = [:]
    for log in self { if let peer = log.peer, let name = log.name { names[peer] = name } }
    return names
  }
}
