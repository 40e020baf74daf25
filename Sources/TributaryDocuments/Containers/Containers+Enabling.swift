internal import TributaryFiles

extension Containers {
  /// Makes a container available on this device: one that is disabled, or else one that is away, which the next use
  /// makes anew if it does not exist then.
  ///
  /// - Returns: whether that changed anything.
  @discardableResult
  public func enable(_ identifier: ContainerIdentifier) throws(DocumentError) -> Bool {
    let identifier = try checked(identifier)
    let wasAvailable = try path(for: identifier) != nil
    if wasAvailable { return false }
    let root = try root()
    do {
      try files.makeDirectories(root)
    } catch {
      throw DocumentError(error)
    }
    try settings.change { settings throws(DocumentError) in
      settings.change(identifier, in: root) { entry in
        // A disabled one may be away as well, and then is not to be made anew without a word.
        if entry.isEnabled { entry.wasUsed = false } else { entry.isEnabled = true }
      }
    }
    return true
  }

  /// Makes a container unavailable on this device, for every application. Nothing in it changes, and stores
  /// that are attached to it keep working.
  ///
  /// - Returns: whether that changed anything.
  @discardableResult
  public func disable(_ identifier: ContainerIdentifier) throws(DocumentError) -> Bool {
    let identifier = try checked(identifier)
    let root = try root()
    return try settings.change { settings throws(DocumentError) in
      let wasEnabled = settings.entry(identifier, in: root)?.isEnabled ?? true
      settings.change(identifier, in: root) { $0.isEnabled = false }
      return wasEnabled
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
