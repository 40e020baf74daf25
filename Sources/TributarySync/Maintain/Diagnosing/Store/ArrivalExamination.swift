import TributaryContainer
import TributaryCore
import TributaryStore

/// What has arrived and has not been imported: what waits, and for what.
struct ArrivalExamination: Examination {
  let store: StoreSubject
  let content: ContentSubject
  let own: PeerIdentity

  let subject = "what has arrived"

  func examine(_ findings: inout [Finding]) throws {
    let exchange = try store.exchange(with: content)
    let arrived = try Arrivals(exchange: exchange).look()
    let explanation = try DelayExplanation(exchange)
    for waiting in arrived.waiting { findings.append(finding(waiting, explanation)) }
    if arrived.ready > 0 {
      findings.append(
        Finding(
          .notImported, .note, path: content.directory.peers,
          "\(PeerText.transactions(arrived.ready)) \(arrived.ready == 1 ? "has" : "have") arrived, and the store has "
            + "not imported \(arrived.ready == 1 ? "it" : "them") yet",
          remedy: Remedy.sync))
    }
  }

  private func finding(_ waiting: Waiting, _ explanation: DelayExplanation) -> Finding {
    let text = explanation.text([waiting])
    let code: Finding.Code =
      switch waiting.reason {
      case .transaction, .history: .waiting
      case .schema: .schema
      case .constraint: .refused
      case .fork: .fork
      case .strayed: .strayed
      }
    return Finding(
      code, .warning, peer: waiting.peer, path: content.directory.log(of: waiting.peer),
      text.explanation, remedy: text.remedy)
  }
}
