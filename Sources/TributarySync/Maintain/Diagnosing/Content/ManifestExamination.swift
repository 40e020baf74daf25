import TributaryContainer
import TributaryFiles

/// Whether the peers' manifests can be read.
struct ManifestExamination: Examination {
  let content: ContentSubject

  let subject = "the files peer.json"

  func examine(_ findings: inout [Finding]) {
    for peer in content.listing.peers {
      let path = content.directory.manifest(of: peer.peer)
      let whose = content.peerText(peer.peer)
      let remedy =
        peer.peer == content.own
        ? Remedy.sync + ", which writes it anew"
        : "run `tributary sync` there, which writes it anew"
      switch content.manifests[peer.peer] {
      case .success: continue
      case .failure(let error):
        let code: Finding.Code =
          switch error.code {
          case .newerFormat: .newerFormat
          case .inaccessible: .unreadable
          default: .manifest
          }
        findings.append(
          Finding(
            code, code == .manifest ? .damage : .warning, peer: peer.peer, path: path,
            "the peer.json of \(whose) cannot be read: \(error.message)"
              + ((error.underlying as? FileError).map(
                AccessText(fileSystem: content.environment.fileSystem).because) ?? ""),
            remedy: code == .manifest ? remedy : error.remedy))
      case nil:
        // No store ever had an identity under which others have issued something again.
        if peer.segments.isEmpty || content.adopted[peer.peer] != nil { continue }
        findings.append(
          Finding(
            .manifest, .warning, peer: peer.peer, path: path,
            "\(whose) has segments and no peer.json: its name, its schema and what it has imported are "
              + "unknown",
            remedy: "wait for the carrier, or \(remedy)"))
      }
    }
  }
}
