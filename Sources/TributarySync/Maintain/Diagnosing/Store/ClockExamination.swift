import TributaryCore
import TributaryFiles
import TributaryStore

/// Whether the store's own stamps are ahead of the present time.
struct ClockExamination: Examination {
  let store: StoreSubject

  let subject = "the clock"

  func examine(_ findings: inout [Finding]) throws {
    let now = store.environment.clock.milliseconds()
    let limit = now + StampExamination.tolerance
    let peers = try KnowledgeTable(store.connection).peers()
    guard let own = try Outbox(store.connection).last()?.time, own.milliseconds > limit else {
      return
    }
    let cause: String
    if let peer = peers.filter({ $0.time.milliseconds > limit }).max(by: { $0.time < $1.time }) {
      cause = "it follows the stamps of \(PeerText()(peer.peer)), whose clock is or was ahead"
    } else {
      cause = "the clock here was ahead when they were written, or is behind now"
    }
    findings.append(
      Finding(
        .clock, .warning, path: store.path,
        "the store's own stamps have come to \(Timestamp.text(milliseconds: own.milliseconds)), "
          + "\(StampExamination.duration(own.milliseconds - now)) after the present time: \(cause)",
        remedy:
          "set the clocks right; nothing is lost, but until that time has come, writes here win over later "
          + "ones of devices that have not heard of them"))
  }
}
