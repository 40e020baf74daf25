import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// The way that `attach` will take, and the reasons against it that concern the places. Examining changes
/// nothing.
struct AttachProspect {
  enum Way {
    /// The store is already attached.
    case reopening
    /// There are logs, or tables of other devices.
    case joining
    case adopting
    case creating
  }

  /// Whether the file exists.
  let exists: Bool
  private(set) var way: Way
  /// The content directory; `nil` if the place is refused.
  private(set) var directory: ContentDirectory?
  private(set) var listing = ContentListing()
  /// The manifests; `nil` if the place is refused.
  private(set) var manifests: PeerManifests?
  private(set) var refusals: [AttachRefusal] = []

  private let request: AttachRequest
  private let environment: StoreEnvironment

  init(_ request: AttachRequest, _ environment: StoreEnvironment) throws {
    self.request = request
    self.environment = environment
    exists = try environment.localFiles.status(request.store) != nil
    way = exists ? .adopting : .creating
    _ = try refusals.gather { try request.useExtensions(environment) }
    let container = try refusals.gather {
      try Self.resolvedContainer(request, environment.fileSystem)
    }
    if exists, try isAttached() {
      way = .reopening
      return
    }
    let root = try refusals.gather {
      try request.contentRoot.map { try ContentRoot($0) } ?? .standard
    }
    let name = try refusals.gather { try ContentName(request.contentName) }
    guard let container else { return }
    _ = try refusals.gather {
      try Placement.checkNotInside(
        storePath: request.store, container: container, using: environment.fileSystem)
    }
    guard let root, let name else { return }
    let directory = ContentDirectory(container: container, root: root, name: name)
    guard let listing = try refusals.gather({ try Self.listing(directory, environment) }) else {
      return
    }
    self.directory = directory
    self.listing = listing
    let manifests = ManifestCache().read(listing, in: directory, environment)
    self.manifests = manifests
    _ = try refusals.gather { try directory.checkCollision(using: environment.fileSystem) }
    _ = try refusals.gather { try MergeAgreement(manifests: manifests).declared(except: nil) }
    // If there is only a baseline, the logs are gone, have not arrived yet, or have never existed: see
    // `Adoption`.
    if try hasLogs || hasBaselines(in: directory)
      || isBlank() && SharedSchema(manifests: manifests).newest(except: nil) != nil
    {
      way = .joining
    }
  }

  var hasLogs: Bool { listing.peers.contains { !$0.segments.isEmpty } }

  private func hasBaselines(in directory: ContentDirectory) -> Bool {
    listing.peers.contains { peer in
      // Baselines that cannot be listed do not count.
      let names = try? BaselineStore(
        directory, peer: peer.peer, using: environment.fileSystem
      ).names()
      return names?.isEmpty == false
    }
  }

  /// The number of transactions in the logs, according to the names of their files.
  var transactions: Int {
    listing.peers.reduce(0) { $0 + Int($1.segments.map(\.name.last.rawValue).max() ?? 0) }
  }

  private func isAttached() throws -> Bool {
    let connection = try Connection.looking(at: request.store, environment)
    defer { connection.close() }
    return try Settings.exist(in: connection)
  }

  /// Whether neither the database nor the application has any tables yet.
  private func isBlank() throws -> Bool {
    guard request.migrations.isEmpty else { return false }
    guard exists else { return true }
    let connection = try Connection.looking(at: request.store, environment)
    defer { connection.close() }
    return try SchemaTables.areNone(in: connection)
  }

  /// Returns the container's absolute path, so that it means the same wherever a command is
  /// started.
  private static func resolvedContainer(
    _ request: AttachRequest, _ fileSystem: any FileSystem
  ) throws -> String {
    guard let path = try fileSystem.resolve(request.container),
      try fileSystem.status(path)?.kind == .directory
    else {
      throw ContainerError(
        .absent, "the container \(request.container) is not a directory", path: request.container,
        remedy: "make the shared directory first, or mount it")
    }
    return path
  }

  /// Returns the listing; it is empty for the first store of a content name.
  static func listing(
    _ directory: ContentDirectory, _ environment: StoreEnvironment
  ) throws -> ContentListing {
    try environment.fileSystem.status(directory.peers) == nil
      ? ContentListing() : ContainerScanner(directory, using: environment.fileSystem).scan()
  }
}
