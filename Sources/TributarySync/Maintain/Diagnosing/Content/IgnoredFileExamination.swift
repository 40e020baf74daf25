import TributaryContainer
import TributaryFiles

/// The number of files that do not belong to this product, by kind.
struct IgnoredFileExamination: Examination {
  let content: ContentSubject

  let subject = "other files"

  func examine(_ findings: inout [Finding]) {
    var files: [IgnoredFile.Reason: [String]] = [:]
    for file in content.listing.ignored {
      files[file.reason, default: []].append(
        content.directory.peers.appending(component: file.path))
    }
    for peer in content.listing.peers {
      for file in peer.ignored {
        files[file.reason, default: []].append(
          content.directory.peer(peer.peer).appending(component: file.path))
      }
    }
    for reason in IgnoredFile.Reason.allCases {
      guard let paths = files[reason], let first = paths.first else { continue }
      let others = paths.count == 1 ? "" : " and \(paths.count - 1) more"
      findings.append(
        Finding(
          .ignored, .note, path: first, "ignored: \(reason.text): \(first)\(others)",
          remedy: remedy(reason)))
    }
  }

  private func remedy(_ reason: IgnoredFile.Reason) -> String {
    switch reason {
    case .temporary:
      "nothing need be done: they become files, or are removed, when their writer is done"
    case .conflictCopy: "nothing need be done; they can be removed: every file has one writer here"
    case .placeholder: "have the carrier keep this directory on the device"
    case .removedWhileOpen: "nothing need be done: they disappear when no program has them open"
    case .wrongKind, .unknown: "nothing need be done; they can be moved elsewhere"
    case .system: "nothing need be done"
    }
  }
}

extension IgnoredFile.Reason {
  fileprivate var text: String {
    switch self {
    case .temporary: "temporary"
    case .conflictCopy: "a carrier's conflict copy"
    case .placeholder: "stands for a file that the carrier has not brought"
    case .removedWhileOpen: "removed while a program had it open"
    case .wrongKind: "a directory, link or device where a file belongs, or the other way round"
    case .system: "kept by a system or carrier for itself"
    case .unknown: "not part of the format"
    }
  }
}
