import TributaryCore
import TributaryFiles

/// Decides where a database may be.
package enum Placement {
  /// Checks that a database is not in a container, where a carrier would transport it as a file.
  ///
  /// Links are resolved, and directories are compared by identity too, so that another mount of the
  /// container is recognised. Neither the database nor the container need exist yet.
  ///
  /// - Throws: `ContainerError` with `storeInsideContainer`, for the given container or any other
  ///   whose content directory is recognised above the database.
  package static func checkNotInside(
    storePath: String, container: String, using fileSystem: some FileSystem
  ) throws(ContainerError) {
    let found: String?
    do {
      found = try containerAround(storePath, container, fileSystem)
    } catch {
      throw ContainerError(error)
    }
    if let found {
      throw ContainerError(
        .storeInsideContainer,
        "the store \(storePath) lies inside the container \(found), which would carry it around",
        path: storePath, remedy: "keep the store outside of every container, on this device's disk")
    }
  }

  /// Checks that a path is in a container, with links resolved.
  ///
  /// - Throws: `ContainerError` with `outsideContainer`.
  package static func checkInside(
    _ path: String, container: String, using fileSystem: some FileSystem
  ) throws(ContainerError) {
    let inside: Bool
    do {
      inside = isWithin(try resolved(path, fileSystem), try resolved(container, fileSystem))
    } catch {
      throw ContainerError(error)
    }
    if !inside {
      throw ContainerError(
        .outsideContainer, "\(path) lies outside of the container \(container)", path: path,
        remedy: "choose a directory in the container, not reached by a link")
    }
  }

  private static func containerAround(
    _ storePath: String, _ container: String, _ fileSystem: some FileSystem
  ) throws(FileError) -> String? {
    let outer = try resolved(container, fileSystem)
    let store = try resolved(storePath, fileSystem)
    if isWithin(store, outer) { return container }
    let identity = try fileSystem.status(outer)?.identity
    var ancestor = store
    while ancestor != ancestor.parentDirectory {
      if let status = try fileSystem.status(ancestor) {
        if status.identity == identity { return container }
        if status.kind == .directory {
          if try isContentDirectory(ancestor, fileSystem) { return ancestor }
          if try isContainer(ancestor, fileSystem) { return ancestor }
        }
      }
      ancestor = ancestor.parentDirectory
    }
    return nil
  }

  /// Whether a directory is certainly a container: it has contents in the root that the command uses by
  /// default, or the name and the directory that containers of applications have.
  private static func isContainer(
    _ path: String, _ fileSystem: some FileSystem
  ) throws(FileError) -> Bool {
    if path.lastPathComponent.utf8.contains(UInt8(ascii: "~")),
      try fileSystem.status(path.appending(component: "Documents"))?.kind == .directory
    {
      return true
    }
    let root = path.appending(component: ContentRoot.standard.text)
    guard try fileSystem.status(root)?.kind == .directory else { return false }
    // A directory that may not be listed belongs to another user, and is not a container of this one.
    for entry in (try? fileSystem.list(root)) ?? []
    where entry.kind == .directory || entry.kind == .unknown {
      if try isContentDirectory(root.appending(component: entry.name), fileSystem) { return true }
    }
    return false
  }

  /// Whether a directory is certainly a content directory: a peer's directory in it is not empty.
  private static func isContentDirectory(
    _ path: String, _ fileSystem: some FileSystem
  ) throws(FileError) -> Bool {
    let peers = path.appending(component: "peers")
    guard try fileSystem.status(peers)?.kind == .directory else { return false }
    for entry in try fileSystem.list(peers) where PeerIdentity(hex: entry.name) != nil {
      let peer = peers.appending(component: entry.name)
      for name in [PeerManifest.fileName, "log"] {
        if try fileSystem.status(peer.appending(component: name)) != nil { return true }
      }
    }
    return false
  }

  /// Returns the absolute path without links; components that do not exist yet are taken literally.
  private static func resolved(
    _ path: String, _ fileSystem: some FileSystem
  ) throws(FileError) -> String {
    var existing = path
    var missing: [String] = []
    while true {
      if let resolved = try fileSystem.resolve(existing) {
        return missing.reversed().reduce(resolved) { result, component in
          switch component {
          case ".": result
          case "..": result.parentDirectory
          default: result.appending(component: component)
          }
        }
      }
      let parent = existing.parentDirectory
      guard parent != existing else { return path }
      try checkNoLink(existing, in: parent, fileSystem)
      missing.append(existing.lastPathComponent)
      existing = parent
    }
  }

  /// Rejects a link without a target, which may later lead anywhere.
  private static func checkNoLink(
    _ path: String, in parent: String, _ fileSystem: some FileSystem
  ) throws(FileError) {
    guard try fileSystem.status(parent)?.kind == .directory else { return }
    let name = path.lastPathComponent
    for entry in try fileSystem.list(parent) where entry.kind == .symbolicLink && entry.name == name
    {
      throw .linkToNothing(path)
    }
  }

  private static func isWithin(_ path: String, _ directory: String) -> Bool {
    path.utf8.elementsEqual(directory.utf8)
      || path.utf8.starts(with: directory.appending(component: "").utf8)
  }
}
