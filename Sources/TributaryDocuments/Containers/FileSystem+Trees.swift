internal import TributaryFiles

extension FileSystem {
  /// Replaces a file completely or not at all, so that it survives a power cut.
  func replaceDurably(_ path: String, with bytes: [UInt8]) throws(FileError) {
    let file = try makeTemporary(in: path.parentDirectory)
    var failure: FileError?
    bytes.withUnsafeBytes {
      do throws(FileError) { try file.write($0) } catch { failure = error }
    }
    if let failure {
      file.discard()
      throw failure
    }
    try file.publish(as: path.lastPathComponent)
  }

  /// Removes a file or a directory with everything in it. Links are removed, not followed. It is not an error
  /// if something vanishes meanwhile, or if others add something: what was there is gone.
  ///
  /// - Throws: `FileError` for the first thing that could not be removed. The rest is still removed.
  func removeTree(_ path: String) throws(FileError) {
    // Files that a carrier, or a process being killed, adds meanwhile are removed too, unless they keep
    // coming.
    for attempt in 0..<4 {
      do {
        // Before anything is listed: the target of a link is not part of the tree.
        try remove(path)
        return
      } catch {
        guard error.isNotEmpty, attempt < 3 else { throw error }
      }
      try removeContents(of: path)
    }
  }

  private func removeContents(of path: String) throws(FileError) {
    let entries: [DirectoryEntry]
    do {
      entries = try list(path)
    } catch {
      // It is a file, or there is nothing.
      if error.isMissing { return }
      throw error
    }
    try removeTrees(entries, in: path)
  }

  /// Removes entries of a directory with everything in them. If one cannot be removed, the others still are.
  func removeTrees(_ entries: [DirectoryEntry], in directory: String) throws(FileError) {
    var failure: FileError?
    for entry in entries where entry.isExact {
      do throws(FileError) {
        try removeTree(directory.appending(component: entry.name))
      } catch {
        failure = failure ?? error
      }
    }
    if entries.contains(where: { !$0.isExact }) {
      do throws(FileError) {
        try removeInexactEntries(of: directory)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Returns the entries of a directory; none if another process or a carrier has removed it meanwhile.
  func listIfPresent(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    do {
      return try list(directory)
    } catch {
      guard error.isMissing else { throw error }
      return []
    }
  }

  /// Removes a directory if it is empty.
  func removeIfEmpty(_ directory: String) throws(FileError) {
    do {
      if try listIfPresent(directory).isEmpty { try remove(directory) }
    } catch {
      guard error.isNotEmpty else { throw error }
    }
  }

  /// Returns the total size of the files below a directory, in bytes, without following links.
  func treeSize(_ path: String) throws(FileError) -> UInt64 {
    let entries: [DirectoryEntry]
    do {
      entries = try list(path)
    } catch {
      if error.isMissing { return try status(path).map { $0.kind == .file ? $0.size : 0 } ?? 0 }
      throw error
    }
    var total: UInt64 = 0
    for entry in entries where entry.isExact {
      let child = path.appending(component: entry.name)
      switch entry.kind {
      case .directory: total += try treeSize(child)
      case .file: total += try status(child)?.size ?? 0
      default: break
      }
    }
    return total
  }
}
