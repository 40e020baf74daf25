internal import TributaryFiles

extension Containers {
  /// Makes a container available on this device: one that is disabled, or else one that is away, which the next use
  /// makes anew if it does not exist then.
  ///
  /// - Returns: whether that changed anything.
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
      // A disabled one may be away as well, and then is not to be made anew without a word.
      if entry.isEnabled { entry.wasUsed = false } else { entry.isEnabled = true }
      return true
    }
  }

  /// Makes a container available to an application for which alone it was disabled on this device.
  ///
  /// - Parameter application: its name; see `Entitlements.application`.
  /// - Returns: whether that changed anything.
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
  /// - Returns: whether that changed anything.
  @discardableResult
  public func disable(_ identifier: ContainerIdentifier) throws(DocumentError) -> Bool {
    try change(checked(identifier)) { entry in
      defer { entry.isEnabled = false }
      return entry.isEnabled
    }
  }

  /// Makes a container unavailable on this device to one application.
  ///
  /// - Parameter application: its name; see `Entitlements.application`.
  /// - Returns: whether that changed anything.
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

  /// Changes what this device remembers of a container.
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

  /// The token of the directory of containers; `nil` while the main container is unavailable or, without
  /// entitlements, while no container is available.
  public func identityToken() throws(DocumentError) -> IdentityToken? {
    if let entitlements, entitlements.main == nil { return nil }
    if entitlements != nil, try path(for: nil) == nil { return nil }
    let root = try root()
    do {
      guard try files.status(root) != nil else { return nil }
    } catch {
      // A directory that does not answer is as good as away.
      return nil
    }
    return try settings.read().roots.first { $0.path == root }?.token
  }
}
