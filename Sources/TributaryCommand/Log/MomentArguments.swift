import TributaryFiles
import TributaryInspection
import TributaryReplay
import TributarySync

/// The common part of the commands that make a store from logs.
enum MomentArguments {
  /// The help text about MOMENT.
  static let details = """
    MOMENT is a time in the form of RFC 3339 or in milliseconds since 1970, and
    means the state after all transactions up to then. Or it is PEER:SEQ, and means
    the store of that peer right after its transaction SEQ. The first digits of PEER
    are enough.
    """

  /// The help text about incomplete logs.
  static let incomplete = """
    Transactions that wait for others that are not here are left out, and so is
    damaged data. Each is reported, and the exit status is then 3.
    """

  static func moment(
    _ arguments: Arguments, _ option: CommandOption
  ) throws(UsageError) -> Moment? {
    guard let text = arguments[option] else { return nil }
    guard let moment = Moment(text) else {
      throw UsageError(
        "--\(option.long) takes a time as in RFC 3339, milliseconds since 1970 or PEER:SEQ, not '\(text)'"
      )
    }
    return moment
  }

  /// Makes the store as of a moment, and reports what is left out of it.
  ///
  /// - Parameters:
  ///   - extensions: files of SQLite extensions that its tables need.
  ///   - reported: the damaged files that were reported before, which are not reported again.
  static func store(
    of logs: [PeerLog], _ extensions: [String], at moment: Moment?, path: String? = nil,
    _ status: inout ExitStatus, _ reported: inout Set<String>, _ output: Output
  ) throws -> MomentStore {
    let progress = ProgressLine(output)
    defer { progress.finish() }
    let store = try MomentStore(
      logs, at: moment, path: path, extensions: extensions, progress: { progress.show($0) },
      report: { finding in
        if reported.insert(finding.path).inserted { output.report(finding) }
        status = .damage
      })
    for waiting in store.waiting {
      output.problem("\(waiting)")
      status = .damage
    }
    return store
  }
}
