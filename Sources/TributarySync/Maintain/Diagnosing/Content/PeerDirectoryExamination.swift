import TributaryContainer
import TributaryFiles

/// Whether the directories of the peers can be listed.
struct PeerDirectoryExamination: Examination {
  let content: ContentSubject

  let subject = "the directories of the peers"

  func examine(_ findings: inout [Finding]) {
    let access = AccessText(fileSystem: content.environment.fileSystem)
    for peer in content.listing.peers {
      guard let failure = peer.failure else { continue }
      findings.append(
        Finding(
          failure.code.isPermission ? .permission : .unreadable, .warning, peer: peer.peer,
          path: failure.path,
          "the files of \(content.peerText(peer.peer)) cannot be listed: \(failure)"
            + access.because(failure),
          remedy: failure.remedy))
    }
  }
}
