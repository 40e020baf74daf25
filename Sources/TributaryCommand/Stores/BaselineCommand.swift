import TributaryCore
import TributarySync

/// `tributary baseline`: writes everything that a store shares into one file.
struct BaselineCommand: Command {
  static let syntax = Syntax(
    "baseline", summary: "write what a store shares into one file, from which new devices start",
    operands: [.store], options: [.json],
    details: """
      Synchronises first, as `sync` does. A device that is attached without a database
      starts from the baseline that contains the most, and reads only the logs that
      come after it. The last two baselines of the store are kept. Small segments are
      compacted as by `sync`.

      If devices have removed logs and no whole baseline contains them any more
      (`doctor`: baseline-missing), the command makes the devices agree on a later
      baseline, with what this store has. Do that only when the carrier has nothing
      more to bring: a device that lacks what is lost is left out, and comes back by
      the new baseline.
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
    if report.beyond > 0 {
      output.note(
        "it stands for what all devices have agreed on; \(counted(report.beyond, "transaction")) of this store "
          + "\(report.beyond == 1 ? "is" : "are") not in it yet, but in the logs")
    }
    if !report.awaited.isEmpty {
      output.note(
        "a later baseline waits until \(report.awaited.joined(separator: ", ")) "
          + "\(report.awaited.count == 1 ? "has" : "have") imported everything and agreed: run `tributary sync` there, "
          + "then here; `tributary peers retire` leaves out a device that is gone")
    }
    if !report.unable.isEmpty {
      output.note(
        "nothing is forgotten while \(report.unable.joined(separator: ", ")) "
          + "\(report.unable.count == 1 ? "counts" : "count"), whose programs agree on no horizon: install this version "
          + "there, or retire \(report.unable.count == 1 ? "it" : "them") (`tributary peers retire`)"
      )
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
      json.member("beyond", report.beyond)
      json.member("awaited", strings: report.awaited)
      json.member("unable", strings: report.unable)
      json.member("removed", strings: report.removed)
    }
    return json.text
  }
}
