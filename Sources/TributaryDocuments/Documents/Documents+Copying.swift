internal import TributaryContainer
internal import TributaryFiles

extension Documents {
  /// Copies the logs of a document to where there are none yet. Published files never change, so a copy of each
  /// is whole.
  func copyLogs(_ source: String, to target: String) throws {
    try copyTree(source, to: target)
  }

  /// Copies what is in a package beside its metadata.
  func copyAttachments(of source: String, to target: String) throws {
    for entry in try files.list(source)
    where entry.isExact && entry.name != DocumentMetadata.fileName && isCarried(entry.name) {
      try copy(entry, in: source, to: target)
    }
  }

  private func copyTree(_ source: String, to target: String) throws {
    try files.makeDirectories(target)
    for entry in try files.list(source) where entry.isExact && isCarried(entry.name) {
      try copy(entry, in: source, to: target)
    }
  }

  private func copy(_ entry: DirectoryEntry, in source: String, to target: String) throws {
    let path = source.appending(component: entry.name)
    switch entry.kind {
    case .directory: try copyTree(path, to: target.appending(component: entry.name))
    case .file: try copyFile(path, into: target)
    case .symbolicLink:
      throw DocumentError(
        .wouldLose, "it is a symbolic link, which no carrier keeps", path: path,
        remedy: "replace it by the file itself, or remove it")
    default: break
    }
  }

  /// Temporary files of carriers and of this product are nobody's.
  private func isCarried(_ name: String) -> Bool {
    switch CarrierName.reason(for: name) {
    case .temporary, .removedWhileOpen: false
    default: true
    }
  }

  private func copyFile(_ path: String, into directory: String) throws {
    let source = try files.open(path)
    defer { source.close() }
    let target = try files.makeTemporary(in: directory)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    do {
      while true {
        let count = try source.read(into: buffer)
        if count == 0 { break }
        try target.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    } catch {
      target.discard()
      throw error
    }
    try target.publish(as: path.lastPathComponent)
  }
}
