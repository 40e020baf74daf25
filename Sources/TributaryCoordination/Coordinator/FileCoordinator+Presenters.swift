public import FoundationEssentials
internal import Synchronization

extension FileCoordinator {
  /// Makes a presenter known to all coordinators. It is kept alive until it is removed. Blocks for a moment.
  ///
  /// - Throws: `CoordinationError` with the code `nothingPresented` if it has no URL.
  public static func addFilePresenter(_ presenter: any FilePresenter) throws {
    try add(presenter, to: .user)
  }

  /// Makes a presenter known to all coordinators, as the other method does.
  public static func addFilePresenter(_ presenter: any FilePresenter) async throws {
    try await Blocking.run { try add(presenter, to: .user) }
  }

  /// Removes a presenter. Calls to it that have begun continue. Blocks for a moment.
  public static func removeFilePresenter(_ presenter: any FilePresenter) throws {
    try CoordinationDomain.user.withdraw(presenter)
  }

  /// Removes a presenter, as the other method does.
  public static func removeFilePresenter(_ presenter: any FilePresenter) async throws {
    try await Blocking.run { try CoordinationDomain.user.withdraw(presenter) }
  }

  /// The presenters of this process, in the order in which they were added.
  public static var filePresenters: [any FilePresenter] { CoordinationDomain.user.presenters }

  package static func add(
    _ presenter: any FilePresenter, to domain: CoordinationDomain
  ) throws(CoordinationError) {
    guard let url = presenter.presentedItemURL else {
      throw CoordinationError(
        .nothingPresented, "a presenter without a presentedItemURL was added",
        remedy: "add it once it has an item")
    }
    try domain.add(presenter, at: ItemPath(url).item)
  }
}

// Methods with which accessors report what they have done. Each blocks for a moment; in asynchronous code, it
// does so on a separate thread.
extension FileCoordinator {
  /// Reports, within the accessor that has moved an item, where the item is now. Presenters follow it, and so
  /// does everyone who waits for the item.
  public func item(at oldURL: URL, didMoveTo newURL: URL) throws {
    // The old path leads nowhere now, but its directory does.
    let (old, new) = (try ItemPath(oldURL).item, try ItemPath(newURL).item)
    let author = domain.number(of: filePresenter)
    moved.withLock { _ = $0.insert(old) }
    try domain.transact { (table, _) throws(CoordinationError) in
      table.move(from: old, to: new, by: author)
    }
  }

  /// Reports where an item has moved, as the other method does.
  public func item(at oldURL: URL, didMoveTo newURL: URL) async throws {
    try await Blocking.run { try self.item(at: oldURL, didMoveTo: newURL) }
  }

  /// Reports that an item has another version.
  public func item(at url: URL, didGainVersionAt version: URL) throws {
    try announce(version, of: url, (.didGainVersion, .subitemDidGainVersion))
  }

  /// Reports that an item has another version, as the other method does.
  public func item(at url: URL, didGainVersionAt version: URL) async throws {
    try await Blocking.run { try self.item(at: url, didGainVersionAt: version) }
  }

  /// Reports that a version of an item is gone.
  public func item(at url: URL, didLoseVersionAt version: URL) throws {
    try announce(version, of: url, (.didLoseVersion, .subitemDidLoseVersion))
  }

  /// Reports that a version of an item is gone, as the other method does.
  public func item(at url: URL, didLoseVersionAt version: URL) async throws {
    try await Blocking.run { try self.item(at: url, didLoseVersionAt: version) }
  }

  /// Reports that a conflicting version of an item was resolved.
  public func item(at url: URL, didResolveConflictVersionAt version: URL) throws {
    try announce(version, of: url, (.didResolveVersion, .subitemDidResolveVersion))
  }

  /// Reports that a conflicting version of an item was resolved, as the other method does.
  public func item(at url: URL, didResolveConflictVersionAt version: URL) async throws {
    try await Blocking.run { try self.item(at: url, didResolveConflictVersionAt: version) }
  }

  private func announce(
    _ version: URL, of url: URL, _ kinds: (PresenterMessage.Kind, PresenterMessage.Kind)
  ) throws(CoordinationError) {
    let path = try ItemPath(url).item
    let versionPath = try ItemPath(version)
    let author = domain.number(of: filePresenter)
    try domain.transact { (table, _) throws(CoordinationError) in
      table.announceVersion(versionPath.item + versionPath.rest, of: path, kinds, by: author)
    }
  }
}
