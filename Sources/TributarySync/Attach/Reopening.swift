import TributaryContainer
import TributaryFiles
import TributaryStore

/// Reconciles a request for a store that is already attached with what the store has recorded. Each part of
/// the request is applied, or refused by name.
package struct Reopening {
  private let store: LocalStore
  private let environment: StoreEnvironment

  package init(store: LocalStore, environment: StoreEnvironment) {
    self.store = store
    self.environment = environment.bounded()
  }

  /// Applies a request: the place of the container, the replicated tables, the migrations, how tables merge,
  /// and the name of the device.
  ///
  /// - Parameter progress: called before each migration.
  /// - Throws: if a part of the request is not possible, with an error that names it; what `progress` throws;
  ///   `CancellationError`.
  package func settle(
    _ request: AttachRequest, _ progress: ((Progress) throws -> Void)? = nil
  ) throws {
    let place = try Self.place(request, of: store.identity(), environment)
    if !request.shareContents.isEmpty {
      try store.service {
        try SharedContents.late(request.shareContents, in: $0, path: request.store)
      }.check()
    }
    let selecting = try request.tables.map {
      try store.checkSelection($0, before: request.migrations)
    }
    if let place { try store.move(to: place.container, contentRoot: place.root.text) }
    if let name = request.peerName { try store.rename(name) }
    if let follows = request.followsSchema { try store.follow(follows) }
    if selecting == true, let tables = request.tables { try store.select(tables) }
    try store.migrate(
      request.migrations, declaring: request.merge, request.work(progress)
    ) { migration in
      let directory = try store.identity().directory()
      do {
        let listing = try AttachProspect.listing(directory, environment)
        return ManifestCache().read(listing, in: directory, environment).haveWritten(migration)
      } catch  where error is ContainerError || error is FileError {
        // Without the container, this is unknown. The merge then makes equal rows one.
        return false
      }
    }
  }

  /// Returns the place of the container, if it differs from the recorded one.
  static func place(
    _ request: AttachRequest, of identity: StoreIdentity, _ environment: StoreEnvironment
  ) throws -> ContentDirectory? {
    let present = "the store is attached to \(identity.container) as \(identity.contentName)"
    guard request.contentName == identity.contentName else {
      throw SyncError(
        .differentlyAttached, "\(present), not as \(request.contentName)", path: request.store,
        remedy: "give that name; to share it under another one, run `tributary detach` first")
    }
    let root = try request.contentRoot.map { try ContentRoot($0) }
    let hasSameRoot = root.map { $0.text == identity.contentRoot } ?? true
    if hasSameRoot, request.container == identity.container { return nil }
    let fileSystem = environment.fileSystem
    let resolved: String?
    do {
      resolved = try fileSystem.resolve(request.container)
    } catch {
      throw ContainerError(error)
    }
    if hasSameRoot, resolved == identity.container { return nil }
    let directory = ContentDirectory(
      container: resolved ?? request.container,
      root: try root ?? ContentRoot(identity.contentRoot),
      name: try ContentName(identity.contentName))
    let own = directory.peer(identity.peer)
    guard resolved != nil, try fileSystem.status(own)?.kind == .directory else {
      throw SyncError(
        .differentlyAttached,
        "\(present), in the content root \(identity.contentRoot), and its own directory is not at \(own)",
        path: request.store,
        remedy:
          "if the container was moved, give its new place when all of it is there; if it is another "
          + "container, run `tributary detach` first, which makes this store another peer there")
    }
    try Placement.checkNotInside(
      storePath: request.store, container: directory.container, using: fileSystem)
    return directory
  }
}
