import TributaryCore

/// Who has not imported all that is here: every device says in its `peer.json` what it has.
struct ReceiptExamination: Examination {
  let content: ContentSubject

  let subject = "the receipts of the peers"

  func examine(_ findings: inout [Finding]) {
    let text = content.peerText
    let gone = content.gone
    // What is behind here is told by what waits and what has not been imported.
    for manifest in content.readable
    where manifest.peer != content.own && !gone.contains(manifest.peer) {
      var parts: [String] = []
      var missing: UInt64 = 0
      for peer in content.listing.peers where peer.peer != manifest.peer {
        let present = content.present(peer.peer)
        let known = manifest.receipt[peer.peer]
        guard known < present else { continue }
        missing += present.rawValue - known.rawValue
        parts.append("\(PeerText.transactions(known.next...present)) of \(text(peer.peer))")
      }
      guard !parts.isEmpty else { continue }
      findings.append(
        Finding(
          .behind, .note, peer: manifest.peer, path: content.directory.manifest(of: manifest.peer),
          "\(text(manifest.peer)) has not imported \(PeerText.transactions(missing)) that are here: "
            + parts.joined(separator: ", "),
          remedy: "nothing need be done while it is off or its carrier is at work; otherwise run "
            + "`tributary doctor` there"))
    }
  }
}
