import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// A store and its content in the container, as they were at the last look: the state that the steps of a
/// synchronisation share.
struct Exchange {
  var identity: StoreIdentity
  let connection: Connection
  let environment: StoreEnvironment
  let directory: ContentDirectory
  let memory: ExchangeMemory
  /// The last own transaction that other peers know under its name, for a store that must take another
  /// identity and cannot yet; `nil` for all others.
  var lastShared: SequenceNumber?
  /// The files of all peers.
  var listing = ContentListing()
  var manifests: PeerManifests

  /// Creates an exchange that has not looked at the container.
  init(
    _ identity: StoreIdentity, _ connection: Connection, _ environment: StoreEnvironment,
    _ directory: ContentDirectory, _ memory: ExchangeMemory = ExchangeMemory()
  ) {
    self.identity = identity
    self.connection = connection
    self.environment = environment
    self.directory = directory
    self.memory = memory
    manifests = PeerManifests(directory: directory)
  }

  /// Reads the identity of a store, and looks at the container.
  init(of connection: Connection, _ environment: StoreEnvironment) throws {
    let identity = try StoreIdentity(reading: connection)
    self.init(identity, connection, environment, try identity.directory())
    try look()
  }

  var own: PeerIdentity { identity.peer }

  /// The files in the store's own directory.
  var ownListing: PeerListing { listing.peers.first { $0.peer == own } ?? PeerListing(peer: own) }

  /// Looks at the container.
  ///
  /// - Parameters:
  ///   - look: what was seen there a moment ago.
  ///   - stamps: the part of it that is known without a look.
  /// - Returns: the status of each peer's manifest, in the order of the listing.
  @discardableResult
  mutating func look(
    _ look: ContainerLook? = nil, _ stamps: PeerStamps? = nil
  ) throws -> [Result<FileStatus?, ContainerError>] {
    listing = try look?.listing ?? environment.scan(directory, memory.listings, stamps)
    let statuses =
      look?.manifests.map { .success($0) }
      ?? environment.looks(listing, in: directory, memory.listings)
    memory.horizons.forgetMissing()
    readManifests(statuses)
    return statuses
  }

  /// Reads the manifests of the peers in the listing.
  ///
  /// - Parameter statuses: the statuses of their files, in the order of the listing, if they are known.
  mutating func readManifests(_ statuses: [Result<FileStatus?, ContainerError>]? = nil) {
    manifests = memory.manifests.read(
      listing, statuses, in: directory, for: own, environment, horizons: horizons)
    if manifests.hasVanished || listing.peers.contains(where: \.hasVanished) {
      memory.vanishing.note()
    }
  }

  /// The horizons above which files may be written, including those that the store remembers.
  var horizons: KnownHorizons {
    memory.horizons.prepare { KnownHorizons.remembered(by: connection) }
    return memory.horizons
  }

  func segments(
    of peer: PeerIdentity, using fileSystem: (any FileSystem)? = nil
  ) -> SegmentStore {
    SegmentStore(
      directory, peer: peer, using: fileSystem ?? environment.fileSystem, horizons: horizons)
  }

  func baselines(of peer: PeerIdentity) -> BaselineStore {
    BaselineStore(directory, peer: peer, using: environment.fileSystem)
  }

  /// Returns the logs without the transactions that were issued again under another identity.
  func selection() throws -> BranchSelection {
    try Branches(self).select(from: listing, known: KnowledgeTable(connection).peers())
  }

  /// Whether the store still has this identity and is not a copy: another process may have changed it.
  func isCurrent() throws -> Bool { try hasIdentity() && CopyTable(connection).first() == nil }

  /// Whether the store still has this identity, even if it is a copy's.
  func hasIdentity() throws -> Bool { try Settings(connection)[.peer] == .blob(own.bytes) }
}
