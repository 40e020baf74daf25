import TributaryCore
import TributarySync

/// `tributary baseline`: writes everything that a store shares into one file.
struct BaselineCommand: Command {
  static let syntax = Syntax(
    "baseline", summary: "write what a store shares into one file, from which new devices start",
    operands: [.store], options: [.json],
    details: """
      Synchronises first, as `sync` does. A device that is attached without a
      database starts from the baseline that has most, and reads only the logs that
      come after it. The last two baselines of the store are kept. Small segments are
      compacted as by `sync`.

      Where devices have removed logs and no whole baseline is left of what came
      before (`doctor`: baseline-missing), it has them agree on a later one, of what
      this store has. Do that only when the carrier has nothing more to bring: a
      device that lacks what is lost is left out, and comes back by the new baseline.
      """)

  private let store: String
  private let printsJSON: Bool

  init(_ arguments: Arguments) {
    store = arguments.operands[0]
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let report = try SyncSession(store: store).writeBaseline()
    output.hasDone("\(store) has a new baseline")
    if printsJSON {
      try output.line(json(report))
    } else {
      try output.confirm(
        output.shown(
          "\(store): \(report.path), \(counted(report.bytes, "byte")), with "
            + "\(counted(report.rows, "row")) of \(counted(report.transactions, "transaction"))"))
    }
    return .done
  }

  private func json(_ report: BaselineReport) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("store", store)
      json.member("baseline", report.path)
      json.member("bytes", report.bytes)
      json.member("rows", report.rows)
      json.member("transactions", report.transactions)
      json.member("peers", report.peers)
      json.member("removed", strings: report.removed)
    }
    return json.text
  }
}
