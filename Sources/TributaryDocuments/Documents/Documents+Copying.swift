internal import TributaryContainer
internal import TributaryFiles

extension Documents {
  /// Copies the logs of a document to a place that has none yet. Published files never change, so each copy
  /// is complete.
  func copyLogs(_ source: String, to target: String) throws {
    try files.makeDirectories(target)
    for entry in try files.list(source) where entry.isExact && Self.isCarried(entry.name) {
      try local.cancellation?.check()
      let path = source.appending(component: entry.name)
      switch try files.kind(of: entry, at: path) {
      case .directory: try copyLogs(path, to: target.appending(component: entry.name))
      case .file: try files.copyFile(path, into: target)
      case .symbolicLink:
        throw DocumentError(
          .wouldLose, "it is a symbolic link, which no carrier keeps", path: path,
          remedy: "replace it by the file itself, or remove it")
      case .other, .unknown: break
      }
    }
  }

  /// Whether a file among the logs is copied. Temporary files of carriers and of Tributary are not.
  private static func isCarried(_ name: String) -> Bool {
    switch CarrierName.reason(for: name) {
    case .temporary, .removedWhileOpen: false
    default: true
    }
  }
}
