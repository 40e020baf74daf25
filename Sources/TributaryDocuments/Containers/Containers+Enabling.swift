internal import TributaryFiles

extension Containers {
  /// Makes a container available on this device: a disabled one, or else an absent one, which the next use
  /// recreates if it does not exist then.
  ///
  /// - Returns: whether this changed anything.
  @discardableResult
  public func enable(_ identifier: ContainerIdentifier) throws(DocumentError) -> Bool {
    let identifier = try checked(identifier)
    let all = Containers(places: places, entitlements: nil, files: files)
    let wasAvailable = try all.path(for: identifier) != nil
    if wasAvailable { return false }
    let root = try root()
    do {
      try files.makeDirectories(root)
    } catch {
      throw DocumentError(error)
    }
    return try change(identifier) { entry in
      // A disabled container may be absent as well, and then it must not be recreated silently.
      if entry.isEnabled { entry.wasUsed = false } else { entry.isEnabled = true }
      return true
    }
  }

  /// Makes a container available to an application, if it was disabled on this device for that application
  /// alone.
  ///
  /// - Parameter application: the name of the application; see `Entitlements.application`.
  /// - Returns: whether this changed anything.
  @discardableResult
  public func enable(
    _ identifier: ContainerIdentifier, application: String
  ) throws(DocumentError) -> Bool {
    try change(checked(identifier)) { entry in
      guard let disabled = entry.disabledApplications, disabled.contains(application) else {
        return false
      }
      let rest = disabled.filter { $0 != application }
      entry.disabledApplications = rest.isEmpty ? nil : rest
      return true
    }
  }

  /// Makes a container unavailable on this device, for every application. Nothing in it changes, and stores
  /// that are attached to it keep working.
  ///
  /// - Returns: whether this changed anything.
  @discardableResult
  public func disable(_ identifier: ContainerIdentifier) throws(DocumentError) -> Bool {
    try change(checked(identifier)) { entry in
      defer { entry.isEnabled = false }
      return entry.isEnabled
    }
  }

  /// Makes a container unavailable on this device to one application.
  ///
  /// - Parameter application: the name of the application; see `Entitlements.application`.
  /// - Returns: whether this changed anything.
  @discardableResult
  public func disable(
    _ identifier: ContainerIdentifier, application: String
  ) throws(DocumentError) -> Bool {
    try change(checked(identifier)) { entry in
      let disabled = entry.disabledApplications ?? []
      if disabled.contains(application) { return false }
      entry.disabledApplications = (disabled + [application]).sorted()
      return true
    }
  }

  /// Changes what this device remembers about a container.
  private func change(
    _ identifier: ContainerIdentifier, _ body: (inout DeviceSettings.Entry) -> Bool
  ) throws(DocumentError) -> Bool {
    let root = try root()
    return try settings.change { settings throws(DocumentError) in
      var hasChanged = false
      settings.change(identifier, in: root) { hasChanged = body(&$0) }
      return hasChanged
    }
  }

  /// Returns the token of the directory of containers; `nil` while the main container is unavailable or,
  /// without entitlements, while no container is available.
  public func identityToken() throws(DocumentError) -> IdentityToken? {
    if let entitlements, entitlements.main == nil { return nil }
    if entitlements != nil, try path(for: nil) == nil { return nil }
    let root = try root()
    do {
      guard try files.status(root) != nil else { return nil }
    } catch {
      // A directory that does not answer counts as absent.
      return nil
    }
    return try settings.read().roots.first { $0.path == root }?.token
  }
}
