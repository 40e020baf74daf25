import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryInspection
import TributaryReplay

/// `tributary log follow`: prints new transactions of all peers as they arrive.
struct LogFollowCommand: Command {
  private static let lines = CommandOption(
    "lines", short: "n", argument: "N",
    help: "begin with the last N transactions, or all; 10 unless given")
  private static let interval = CommandOption(
    "interval", argument: "SECONDS",
    help: "how often to look where arrivals are not announced; 5 unless given")

  static let syntax = Syntax(
    "log follow", summary: "show new transactions of all peers as they arrive",
    operands: [.paths], options: FilterArguments.options + [lines, interval, .json],
    details: """
      Shows the last transactions that are there, and then every new one as `log show`
      does, until SIGINT or SIGTERM, after which the exit status is 0.

      Each transaction is shown once, after all transactions that its author knew, if
      these belong to the PATHs and were not already there, or missing, when the
      command began. Until then it waits, and a note on standard error says for what.
      The order is therefore that of cause and effect, which may differ from that of
      the stamps: a device that was away brings older transactions.

      A file counts once all of it has arrived. A damaged file is reported once, and
      is read again when its size or time changes. Merged segments, files that vanish
      and peers that come later are handled without notice. If a container is away,
      the command waits for it. Of two different transactions with the same sequence,
      a fork, only one is shown after the start; `log verify` names both.


      """ + FilterArguments.details)

  private let paths: [String]
  private let filter: TransactionFilter
  private let lineCount: Int?
  private let intervalMilliseconds: Int
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    paths = arguments.operands
    printsJSON = arguments.has(.json)
    filter = try FilterArguments.filter(arguments)
    intervalMilliseconds = try IntervalText.milliseconds(arguments, Self.interval) ?? 5000
    let lines = arguments[Self.lines] ?? "10"
    if lines == "all" {
      lineCount = nil
    } else {
      guard let count = Int(lines), (0...1_000_000).contains(count) else {
        throw UsageError("--lines takes a number up to 1000000, or all, not '\(lines)'")
      }
      lineCount = count
    }
  }

  func run(to output: Output) throws -> ExitStatus {
    let stop = FollowStop(try Watcher())
    let waiter = try SignalWaiter { stop.stop() }
    defer { waiter.finish() }
    let follower = LogFollower(paths)
    let watch = FollowWatch(stop.watcher)
    try follower.start(last: lineCount, filter, isStopped: { stop.isStopped })
    if follower.logs.isEmpty { output.note("no logs here yet: \(paths.joined(separator: ", "))") }
    let logs = Array(follower.logs.values)
    let beginnings = LogBeginning.find(
      beside: logs, having: LogCoverage(logs), check: { try $0.checkWhole() },
      report: { output.report($0) })
    for baseline in beginnings.compactMap(\.baseline) { output.note(baseline) }
    var names: [PeerIdentity: String] = [:]
    var trouble: String?
    while true {
      try follower.forEachReady(
        filter, isStopped: { stop.isStopped }, waiting: { output.note("\($0)") },
        body: { transaction in
          let peer = transaction.peer
          if names[peer] == nil, let log = follower.logs[peer] {
            names[peer] = LogSearch().name(of: log)
          }
          try TransactionPrinter.print(
            transaction, name: names[peer], printsJSON: printsJSON, to: output)
        })
      try output.flush()
      if stop.isStopped { return .done }
      let isNew = watch.renew(follower.directories)
      // The command looks again for a file that is about to arrive before treating it as torn.
      let patience = follower.hasArriving ? min(intervalMilliseconds, 1000) : intervalMilliseconds
      try watch.wait(milliseconds: isNew ? 0 : patience)
      if stop.isStopped { return .done }
      do {
        try follower.look { output.report($0) }
        trouble = nil
      } catch {
        guard error is FileError || error is ContainerError else { throw error }
        let text = errorText(error)
        if text != trouble { output.problem(text) }
        trouble = text
      }
    }
  }
}
