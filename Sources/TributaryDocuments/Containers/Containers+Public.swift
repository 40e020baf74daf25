internal import Glibc
internal import TributaryFiles

extension Containers {
  /// Makes the documents of public containers appear in the drive directory, each container under its name,
  /// as links to the `Documents` directories. Links for containers that are not public, or unavailable, are
  /// removed from it.
  ///
  /// - Returns: the paths in the drive directory.
  /// - Throws: `DocumentError` with `exists` if something else has the name.
  @discardableResult
  public func publish(_ containers: [PublicContainer]) throws(DocumentError) -> [String] {
    var paths: [String] = []
    try remember(levels: containers)
    for container in containers {
      let link = places.drive.appending(component: container.name)
      let path = container.isDocumentScopePublic ? try path(for: container.identifier) : nil
      let target = try root().appending(component: container.identifier.directoryName)
        .appending(component: Self.documentsName)
      let present = Self.target(of: link)
      if path == nil {
        if present == target { try removeLink(link) }
        continue
      }
      paths.append(link)
      if present == target { continue }
      do {
        try LocalFileSystem().makeDirectories(places.drive)
      } catch {
        throw DocumentError(error)
      }
      guard symlink(target, link) == 0 else {
        let code = errno
        if code == EEXIST {
          throw DocumentError(
            .exists, "something else has the name of the container \(container.identifier) already",
            path: link, remedy: "choose another NSUbiquitousContainerName, or move that away")
        }
        throw DocumentError(FileError(operation: "symlink", path: link, code: code))
      }
    }
    return paths
  }

  /// Records how deep documents may be nested, for all applications of this device.
  private func remember(levels containers: [PublicContainer]) throws(DocumentError) {
    let root = try root()
    let known = try settings.read()
    let isKnown = containers.allSatisfy { container in
      let entry = known.entry(container.identifier, in: root)
      return (entry?.folderLevels ?? PublicContainer.FolderLevels.any)
        == container.supportedFolderLevels
    }
    if isKnown { return }
    try settings.change { settings throws(DocumentError) in
      for container in containers {
        let levels = container.supportedFolderLevels
        settings.change(container.identifier, in: root) {
          $0.folderLevels = levels == .any ? nil : levels
        }
      }
    }
  }

  /// Checks that a document may be at a path, according to the limits that `publish` has recorded.
  ///
  /// - Parameter path: relative to `Documents`.
  func checkDepth(of path: String, in container: String) throws(DocumentError) {
    let root = try root()
    for entry in try settings.read().containers where entry.root == root {
      guard let levels = entry.folderLevels else { continue }
      let directory = root.appending(component: entry.identifier.directoryName)
      guard try AbsolutePath.resolved(directory, using: files) == container else { continue }
      try PublicContainer.checkDepth(of: path, levels, entry.identifier)
    }
  }

  private func removeLink(_ path: String) throws(DocumentError) {
    do {
      try LocalFileSystem().remove(path)
    } catch {
      throw DocumentError(error)
    }
  }

  /// Returns where a link leads; `nil` if there is none.
  static func target(of link: String) -> String? {
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
      count = max(0, readlink(link, buffer.baseAddress!, buffer.count))
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
