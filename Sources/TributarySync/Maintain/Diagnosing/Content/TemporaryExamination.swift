import TributaryContainer
import TributaryFiles

/// What killed publishers have left behind.
struct TemporaryExamination: Examination {
  let content: ContentSubject

  let subject = "temporary files"

  /// In milliseconds: a younger file may still be being written.
  private static let age: UInt64 = 3_600_000

  func examine(_ findings: inout [Finding]) throws {
    let now = content.environment.clock.milliseconds()
    for peer in content.listing.peers {
      for file in peer.ignored where TemporaryName.matches(file.path.lastPathComponent) {
        let path = content.directory.peer(peer.peer).appending(component: file.path)
        guard let status = try content.environment.fileSystem.status(path), status.kind == .file,
          now > status.modifiedMilliseconds, now - status.modifiedMilliseconds > Self.age
        else { continue }
        findings.append(
          Finding(
            .staleTemporary, .note, peer: peer.peer, path: path,
            "\(path) was left by a publisher that was killed",
            remedy: peer.peer == content.own
              ? "run `tributary sync`, which removes it"
              : "the next `tributary sync` there removes it"))
      }
    }
  }
}
