import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryReplay

/// Whether all segments are intact and where they belong; reads every segment to its end.
struct SegmentExamination: Examination {
  let content: ContentSubject

  let subject = "the segments"

  func examine(_ findings: inout [Finding]) throws {
    for finding in try content.logs.get().findings where finding.kind != .fork {
      let owner = content.owner(of: finding.path)
      var result = Finding(
        code(finding), .damage, peer: owner ?? finding.peer, path: finding.path,
        "\(finding.path): \(finding.message)",
        remedy: remedy(finding, owner))
      if finding.kind == .unreadable || finding.kind == .newerFormat { result.severity = .warning }
      if finding.kind == .contradiction,
        content.adopted.values.contains(where: { $0.former == finding.peer })
      {
        result.severity = .note
        result.remedy = "nothing need be done: one of the two logs was issued again"
      }
      if let error = finding.underlying as? FileError {
        result.explanation =
          "\(error)" + AccessText(fileSystem: content.environment.fileSystem).because(error)
        result.remedy = error.remedy
        if error.code.isPermission { result.code = .permission }
      }
      findings.append(result)
    }
  }

  private func code(_ finding: LogFinding) -> Finding.Code {
    switch finding.kind {
    case .empty: .segmentEmpty
    case .truncated: .segmentTruncated
    case .damaged: .segmentDamaged
    case .foreign: .segmentForeign
    case .newerFormat: .newerFormat
    case .unreadable: .unreadable
    case .contradiction: .contradiction
    case .fork: .fork
    }
  }

  private func remedy(_ finding: LogFinding, _ owner: PeerIdentity?) -> String {
    let isOwn = owner == content.own
    return switch finding.kind {
    case .empty, .truncated, .damaged, .unreadable:
      isOwn
        ? Remedy.reseed
        : owner.map(content.gone.contains) ?? false ? Remedy.lostCopy : Remedy.theirReseed
    case .foreign:
      "it was copied or moved here: put it back under its own name, or remove it; "
        + (isOwn
          ? Remedy.reseed : "its device publishes its own again with `tributary sync --reseed`")
    case .newerFormat: "update Tributary here; the file is imported by itself afterwards"
    case .contradiction, .fork: Remedy.fork
    }
  }
}

extension ContentSubject {
  /// Returns the peer whose directory a segment is in.
  func owner(of segment: String) -> PeerIdentity? {
    PeerIdentity(hex: segment.parentDirectory.parentDirectory.lastPathComponent)
  }
}
