import TributaryCore

/// The identity of a store and the place of its logs.
public struct StoreIdentity: Equatable, Sendable {
  /// The identity under which this store writes its log.
  public var peer: PeerIdentity
  /// The name of the device, as shown to people; may be empty.
  public var peerName: String
  /// The path of the shared directory.
  public var container: String
  /// The path below the container, with components separated by "/".
  public var contentRoot: String
  /// The name of the content, the same on all devices.
  public var contentName: String

  package init(
    peer: PeerIdentity, peerName: String, container: String, contentRoot: String,
    contentName: String
  ) {
    self.peer = peer
    self.peerName = peerName
    self.container = container
    self.contentRoot = contentRoot
    self.contentName = contentName
  }

  fileprivate init(_ settings: Settings) throws {
    let path = settings.connection.path
    guard let version = try settings.integer(.version) else {
      throw StoreError(
        .damaged, "the bookkeeping has no version", path: path,
        remedy: "move the file away and attach again, to rebuild it from the logs")
    }
    guard version == Settings.version else {
      throw StoreError(
        .newerVersion,
        "the bookkeeping has version \(version), this is version \(Settings.version)",
        path: path, remedy: "install the newer Tributary that wrote it")
    }
    let peer = try settings.peer()
    guard let container = try settings.text(.container),
      let contentRoot = try settings.text(.contentRoot),
      let contentName = try settings.text(.contentName)
    else { throw settings.damage() }
    self.init(
      peer: peer, peerName: try settings.text(.peerName) ?? "", container: container,
      contentRoot: contentRoot, contentName: contentName)
  }

  func write(to settings: Settings) throws {
    try settings.set(.version, .integer(Settings.version))
    try settings.set(.peer, .blob(peer.bytes))
    try settings.set(.peerName, .string(peerName))
    try settings.set(.container, .string(container))
    try settings.set(.contentRoot, .string(contentRoot))
    try settings.set(.contentName, .string(contentName))
  }
}

extension Settings {
  /// Returns the identity of the store.
  ///
  /// - Throws: `StoreError` for bookkeeping of a newer version, or damaged bookkeeping.
  package func identity() throws -> StoreIdentity { try StoreIdentity(self) }

  /// Returns the store's identity as a writer.
  ///
  /// - Throws: `StoreError` for damaged bookkeeping.
  func peer() throws -> PeerIdentity {
    guard case .blob(let bytes) = try self[.peer],
      let peer = bytes.withUnsafeBytes({ PeerIdentity(bytes: $0) })
    else { throw damage() }
    return peer
  }

  fileprivate func damage() -> StoreError {
    StoreError(
      .damaged, "the bookkeeping does not say who this store is", path: connection.path,
      remedy: "move the file away and attach again, to rebuild it from the logs")
  }
}
