import TributaryCore
import TributaryReplay

extension DelayExplanation {
  /// Returns what is known about a transaction that is here and has not been imported, and what helps: the
  /// same that helps the first transaction for which it waits.
  func arrived(
    _ sequence: SequenceNumber, of peer: PeerIdentity, for waiting: PeerIdentity, since: UInt64?,
    among all: [Waiting]
  ) -> Text {
    let known = "it has arrived, and waits itself"
    guard let first = first(before: sequence, of: peer, among: all) else {
      // A former identity's transaction that is kept out is not among what waits: it was issued again.
      return isGone(peer)
        ? Text(
          explanation:
            "the store of that identity has issued it again under another one, with knowledge of what the "
            + "devices have agreed to forget",
          remedy:
            "run `tributary sync` on the device of \(peerText(waiting)), which issues again what it wrote; if that "
            + "device is lost, `tributary peers retire` does so here")
        : Text(explanation: known, remedy: "`tributary doctor` says for what the store waits first")
    }
    let text = text([first], since: since, among: all)
    switch first.reason {
    case .schema(let refusal), .constraint(let refusal):
      return Text(explanation: "\(known): \(refusal.message)", remedy: text.remedy)
    case .transaction(let cause, let number), .history(let cause, let number):
      return Text(
        explanation: "\(known) for transaction \(number) of \(peerText(cause))",
        remedy: text.remedy)
    case .fork, .strayed, .fenced, .baseline:
      return Text(explanation: known, remedy: text.remedy)
    }
  }

  /// Follows the chain of waiting transactions to one that waits for nothing that is here; `nil` if that is
  /// not known.
  private func first(
    before sequence: SequenceNumber, of peer: PeerIdentity, among all: [Waiting]
  ) -> Waiting? {
    guard let waiting = all.first(where: { $0.peer == peer && $0.sequence <= sequence }) else {
      return nil
    }
    return ([waiting] + waiting.causes(among: all)).first { waiting in
      guard case .transaction(let cause, let number) = waiting.reason else { return true }
      return cause == own || !listing.holds(number, of: cause)
    }
  }
}
