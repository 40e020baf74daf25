package import TributaryFiles

/// The containers of this device that an application may use.
///
/// A container is a directory in `DataPlaces.containers`. Users see its `Documents` directory. Applications
/// and containers do not know of one another: only the identifier leads to a container.
public struct Containers: Sendable {
  /// Where the containers are.
  public let places: DataPlaces
  /// What the application may use; `nil` if nothing restricts it.
  public let entitlements: Entitlements?

  /// The file system for directories that may hang.
  let files: any FileSystem
  let settings: DeviceSettingsFile

  /// The name of the directory in a container that users see.
  public static let documentsName = "Documents"

  /// Makes the value without touching a file.
  ///
  /// - Parameter entitlements: `nil` restricts nothing, and then no container is the main one.
  public init(places: DataPlaces, entitlements: Entitlements? = nil) {
    self.init(
      places: places, entitlements: entitlements,
      files: SharedFileSystems.bounded(for: places.containers))
  }

  package init(places: DataPlaces, entitlements: Entitlements?, files: any FileSystem) {
    self.places = places
    self.entitlements = entitlements
    self.files = files
    settings = DeviceSettingsFile(directory: places.data, files: LocalFileSystem())
  }

  /// Returns the path of a container, making it with its `Documents` directory at the first use.
  ///
  /// - Parameter identifier: `nil` means the main container, the first one of the entitlements.
  /// - Returns: `nil` if it is unavailable: disabled on this device, or absent although it was there before.
  /// - Throws: `DocumentError` if the entitlements do not grant it, if its name is too similar to another
  ///   one, or if it cannot be made.
  public func path(for identifier: ContainerIdentifier? = nil) throws(DocumentError) -> String? {
    let identifier = try checked(identifier)
    guard try obstacle(to: identifier) == nil else { return nil }
    return try make(identifier)
  }

  /// Returns the path of a container, as `path(for:)` does.
  ///
  /// - Throws: also `DocumentError` with `unavailable`, which says why, where that method returns `nil`.
  public func availablePath(
    for identifier: ContainerIdentifier? = nil
  ) throws(DocumentError) -> String {
    let identifier = try checked(identifier)
    if let obstacle = try obstacle(to: identifier) { throw obstacle }
    return try make(identifier)
  }

  /// Returns the identifier after checking it against the entitlements.
  func checked(_ identifier: ContainerIdentifier?) throws(DocumentError) -> ContainerIdentifier {
    if let identifier {
      try entitlements?.check(identifier)
      return identifier
    }
    guard let entitlements else {
      throw DocumentError(
        .entitlements, "there is no main container without entitlements",
        remedy: "name a container, or provide entitlements, whose first container is the main one")
    }
    guard let main = entitlements.main else {
      throw DocumentError(
        .notEntitled, "no container is granted", path: entitlements.path,
        remedy: "add one to \(EntitlementsReader.containerKeys[0])")
    }
    return main
  }

  /// Returns the directory of containers without links, as it is recorded.
  func root() throws(DocumentError) -> String {
    try AbsolutePath.resolved(places.containers, using: files)
  }

  /// Returns why a container is unavailable; `nil` if it is not.
  private func obstacle(to identifier: ContainerIdentifier) throws(DocumentError) -> DocumentError?
  {
    try obstacle(to: identifier, root(), settings.read())
  }

  func obstacle(
    to identifier: ContainerIdentifier, _ root: String, _ settings: DeviceSettings
  ) throws(DocumentError) -> DocumentError? {
    let path = root.appending(component: identifier.directoryName)
    let entry = settings.entry(identifier, in: root)
    if entry?.isEnabled == false {
      return DocumentError(
        .unavailable, "the container \(identifier) is disabled on this device", path: path,
        remedy: "run `tributary container enable \(identifier)`")
    }
    if let application = entitlements?.application,
      entry?.disabledApplications?.contains(application) == true
    {
      return DocumentError(
        .unavailable,
        "the container \(identifier) is disabled for the application \(application) on this device",
        path: path,
        remedy: "run `tributary container enable \(identifier) --application \(application)`")
    }
    let wasUsed = settings.roots.contains { $0.path == root }
    do {
      // A directory that vanished with its mount must not be recreated under the mount point.
      if wasUsed, try files.status(root) == nil {
        return absent(root, "the directory of containers is not there any more", identifier)
      }
      let isThere = try files.status(path) != nil
      if !isThere, let target = Self.target(of: path) {
        return DocumentError(
          .unavailable, "its link leads to \(target), which is not there", path: path,
          remedy: "mount that, or correct the link")
      }
      guard entry?.wasUsed == true else { return nil }
      if !isThere {
        return try files.list(root).isEmpty
          ? absent(root, "the directory of containers is empty: it is not mounted", identifier)
          : absent(
            path, "the container is gone: another device has deleted it, or it is not mounted",
            identifier)
      }
      let documents = path.appending(component: Self.documentsName)
      if try files.status(documents) == nil, try files.list(path).isEmpty {
        return absent(
          path, "the container's directory is empty: it is not mounted", identifier)
      }
    } catch {
      return DocumentError(error)
    }
    return nil
  }

  private func absent(
    _ path: String, _ message: String, _ identifier: ContainerIdentifier
  ) -> DocumentError {
    DocumentError(
      .unavailable, message, path: path,
      remedy: "mount it, or run `tributary container enable \(identifier)` to begin anew")
  }

  private func make(_ identifier: ContainerIdentifier) throws(DocumentError) -> String {
    let root = try root()
    let path = root.appending(component: identifier.directoryName)
    do {
      let documents = path.appending(component: Self.documentsName)
      if try files.status(documents)?.kind != .directory {
        if try files.status(path) == nil { try NameCheck.collision(of: path, using: files) }
        try files.makeDirectories(documents)
      }
      let resolved = try files.resolve(path) ?? path
      let settings = try settings.read()
      if settings.entry(identifier, in: root)?.wasUsed != true
        || !settings.roots.contains(where: { $0.path == root })
      {
        try remember(identifier, root)
      }
      return resolved
    } catch let error as FileError {
      throw DocumentError(error)
    } catch let error as DocumentError {
      throw error
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private func remember(_ identifier: ContainerIdentifier, _ root: String) throws(DocumentError) {
    try settings.change { settings throws(DocumentError) in
      if !settings.roots.contains(where: { $0.path == root }) {
        settings.roots.append(.init(path: root, token: .fresh()))
      }
      settings.change(identifier, in: root) { $0.wasUsed = true }
    }
  }
}
