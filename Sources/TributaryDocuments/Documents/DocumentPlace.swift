internal import TributaryContainer
internal import TributaryFiles

/// Where a document is: in a container, or on this device alone.
struct DocumentPlace: Equatable {
  /// The path of the package, without links.
  let package: String
  /// The container; `nil` for a document that is only on this device.
  let container: String?
}

extension Documents {
  /// Returns the place of a package, which need not exist yet.
  ///
  /// The place is in a container if that is one of this device's containers, or if there are logs of
  /// documents beside the `Documents` directory above it.
  ///
  /// - Parameter isNew: whether to take the name as written, even if a similar one exists.
  func place(of path: String, isNew: Bool = false) throws(DocumentError) -> DocumentPlace {
    var absolute = try AbsolutePath.of(path)
    absolute =
      isNew
      ? NameCheck.spelled(absolute.parentDirectory, using: files)
        .appending(component: absolute.lastPathComponent)
      : NameCheck.spelled(absolute, using: files)
    // Like any other directory of a container, the package itself must not be the target of a link.
    let parent = try AbsolutePath.resolved(absolute.parentDirectory, using: files)
    let package = parent.appending(component: absolute.lastPathComponent)
    if let container = try known(around: package) {
      return DocumentPlace(package: package, container: container)
    }
    var ancestor = parent
    while ancestor != ancestor.parentDirectory {
      if ancestor.lastPathComponent == Containers.documentsName,
        try holdsDocuments(ancestor.parentDirectory)
      {
        return DocumentPlace(package: package, container: ancestor.parentDirectory)
      }
      ancestor = ancestor.parentDirectory
    }
    return DocumentPlace(package: package, container: nil)
  }

  /// Returns the container of this device around a package, after checking it against the entitlements.
  private func known(around package: String) throws(DocumentError) -> String? {
    if let container, AbsolutePath.relative(package, to: container) != nil { return container }
    let root = try containers.root()
    if let inside = AbsolutePath.relative(package, to: root) {
      let name = String(inside.prefix { $0 != "/" })
      guard let identifier = ContainerIdentifier(directoryName: name) else { return nil }
      return try containers.availablePath(for: identifier)
    }
    // Containers that are links to shared directories.
    do {
      guard try files.status(root) != nil else { return nil }
      for entry in try files.list(root) where entry.kind == .symbolicLink {
        guard let identifier = ContainerIdentifier(directoryName: entry.name),
          let target = try files.resolve(root.appending(component: entry.name)),
          AbsolutePath.relative(package, to: target) != nil
        else { continue }
        return try containers.availablePath(for: identifier)
      }
      return nil
    } catch let error as FileError {
      throw DocumentError(error)
    } catch let error as DocumentError {
      throw error
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private func holdsDocuments(_ container: String) throws(DocumentError) -> Bool {
    do throws(FileError) {
      let root = container.appending(component: ContentRoot.standard.text)
      let tombstones = container.appending(component: Tombstones.directoryName)
      if try files.status(root)?.kind == .directory { return true }
      return try files.status(tombstones)?.kind == .directory
    } catch {
      throw DocumentError(error)
    }
  }
}
