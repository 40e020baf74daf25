import TributaryCore

/// Whether a peer has two transactions under one sequence: overlapping segments must have the same
/// contents.
struct ForkExamination: Examination {
  let content: ContentSubject

  let subject = "segments that overlap"

  func examine(_ findings: inout [Finding]) throws {
    var first: [PeerIdentity: (sequence: SequenceNumber, message: String, path: String)] = [:]
    for fork in try content.logs.get().findings where fork.kind == .fork {
      guard let peer = fork.peer, let sequence = fork.sequence else { continue }
      if let known = first[peer], known.sequence <= sequence { continue }
      first[peer] = (sequence, fork.message, fork.path)
    }
    for (peer, fork) in first.sorted(by: { $0.key < $1.key }) {
      if content.isAdopted(fork.sequence, of: peer) {
        findings.append(
          Finding(
            .fork, .note, peer: peer, path: fork.path,
            "\(content.peerText(peer)) has two logs that part at transaction \(fork.sequence); one of them was issued "
              + "again under another identity, and nothing is missing",
            remedy: "nothing need be done"))
        continue
      }
      findings.append(
        Finding(
          .fork, .damage, peer: peer, path: fork.path,
          "\(content.peerText(peer)) has two logs that part at transaction \(fork.sequence): two stores, or two "
            + "lives of one, have written under its identity: \(fork.path): \(fork.message)",
          remedy: Remedy.fork))
    }
  }
}
