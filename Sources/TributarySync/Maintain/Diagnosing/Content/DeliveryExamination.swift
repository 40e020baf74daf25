import TributaryContainer
import TributaryCore
import TributaryReplay

/// Whether all transactions are here that are known to be published.
struct DeliveryExamination: Examination {
  let content: ContentSubject

  let subject = "what the carrier has brought"

  /// Evidence of a transaction.
  private struct Claim {
    var last: SequenceNumber
    /// The source of the evidence, as a phrase.
    var source: String
  }

  func examine(_ findings: inout [Finding]) throws {
    let logs = try content.logs.get()
    let text = content.peerText
    for gap in logs.result.gaps {
      findings.append(
        Finding(
          .gap, .warning, peer: gap.peer, path: content.directory.log(of: gap.peer),
          "no intact file here has \(PeerText.transactions(gap.missing)) of \(text(gap.peer)), and later ones are here: "
            + "those wait",
          remedy: remedy(gap.peer)))
    }
    for (peer, claim) in claims(logs.result).sorted(by: { $0.key < $1.key }) {
      let present = content.present(peer)
      guard claim.last > present else { continue }
      findings.append(
        Finding(
          .undelivered, .warning, peer: peer, path: content.directory.log(of: peer),
          "the carrier has not delivered \(PeerText.transactions(claim.last.rawValue - present.rawValue)) of "
            + "\(text(peer)): here they end with \(present), and \(claim.source) has them up to \(claim.last)",
          remedy: remedy(peer)))
    }
  }

  private func remedy(_ peer: PeerIdentity) -> String {
    if peer == content.own { return Remedy.sync + ", which publishes again what is missing" }
    return content.gone.contains(peer)
      ? "nobody publishes it again, because its store has left that identity for another or is gone: "
        + Remedy.lostIdentity
      : "wait for the carrier, and look at it where that device is; if the files are lost, run "
        + "`tributary sync` there, which publishes them again"
  }

  /// Returns the last known transaction of each peer.
  private func claims(_ result: LogVerification.Result) -> [PeerIdentity: Claim] {
    let text = content.peerText
    var claims: [PeerIdentity: Claim] = [:]
    func add(_ peer: PeerIdentity, _ last: SequenceNumber, _ source: @autoclosure () -> String) {
      if content.isWithdrawn(last, of: peer) { return }
      if last > claims[peer]?.last ?? .zero { claims[peer] = Claim(last: last, source: source()) }
    }
    for manifest in content.readable {
      add(manifest.peer, manifest.sequence, "its own peer.json")
    }
    for manifest in content.readable {
      for entry in manifest.receipt.entries {
        add(entry.peer, entry.sequence, "\(text(manifest.peer))")
      }
    }
    for unknown in result.unknown {
      add(unknown.peer, unknown.last, "\(text(unknown.knower)), by its transactions,")
    }
    return claims
  }
}
