import TributaryContainer
import TributaryCore
import TributaryFiles

/// Whether all segments are whole and where they belong: reads every one to its end.
struct SegmentExamination: Examination {
  let content: ContentSubject

  let subject = "the segments"

  func examine(_ findings: inout [Finding]) throws {
    let all = try content.logs.get().findings
    var contradicted: Set<PeerIdentity?> = []
    for finding in all where finding.kind != .fork {
      let owner = content.owner(of: finding.path)
      if finding.kind == .contradiction {
        // One mistake runs through all files that follow.
        guard contradicted.insert(finding.peer).inserted else { continue }
      }
      var result = Finding(
        code(finding), .damage, peer: owner ?? finding.peer, path: finding.path,
        "\(finding.path): \(finding.message)\(others(like: finding, in: all))",
        remedy: remedy(finding, owner))
      if finding.kind == .unreadable || finding.kind == .newerFormat { result.severity = .warning }
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

  /// How much more there is of what is told once.
  private func others(like finding: LogFinding, in all: [LogFinding]) -> String {
    guard finding.kind == .contradiction else { return "" }
    let count = all.count { $0.kind == .contradiction && $0.peer == finding.peer } - 1
    return count == 0 ? "" : ", and \(count) more of its transactions like that"
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
  /// Whose directory a segment is in.
  func owner(of segment: String) -> PeerIdentity? {
    PeerIdentity(hex: segment.parentDirectory.parentDirectory.lastPathComponent)
  }
}
