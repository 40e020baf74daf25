import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// All transactions that a store has imported or written, in ascending order of stamp, from the
/// logs.
struct LogReplay {
  let path: String
  let connection: Connection
  let environment: StoreEnvironment

  /// Passes on each stream when its head is the next transaction; the caller reads the changes.
  ///
  /// - Returns: the number of transactions.
  /// - Throws: `SyncError.logsMissing` if the container lacks some.
  func forEachTransaction(_ body: (any TransactionStream, TransactionHeader) throws -> Void) throws
    -> Int
  {
    let identity = try Settings(connection).identity()
    let directory = try identity.directory()
    let known = try KnowledgeTable(connection).current()
    let streams = try makeStreams(identity, directory, known)
    var last: [PeerIdentity: SequenceNumber] = [:]
    var count = 0
    var order = StampOrder()
    while let position = order.earliest(of: streams.count, stamp: { streams[$0].stamp }),
      let head = streams[position].head
    {
      let stream = streams[position]
      try body(stream, head)
      last[stream.peer] = head.sequence
      count += 1
      try stream.advance()
    }
    for case let stream as SegmentStream in streams {
      if let failure = stream.failure { throw failure }
    }
    for entry in known.entries where last[entry.peer] ?? .zero < entry.sequence {
      throw Self.lacks((last[entry.peer] ?? .zero).next, of: entry.peer, directory)
    }
    return count
  }

  /// Runs a search in the history.
  ///
  /// - Throws: `SyncError.logsMissing` if the container lacks what it needs.
  func lookingUp<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let missing as History.Missing {
      throw Self.lacks(
        missing.sequence, of: missing.peer, try Settings(connection).identity().directory())
    }
  }

  private static func lacks(
    _ sequence: SequenceNumber, of peer: PeerIdentity, _ directory: ContentDirectory
  ) -> SyncError {
    SyncError(
      .logsMissing,
      "the container lacks transaction \(sequence) of \(peer), which the store has imported",
      path: directory.log(of: peer),
      remedy: "wait until that device has published it again, or sync there")
  }

  /// Returns the same logs for searches.
  func history() throws -> History {
    let identity = try Settings(connection).identity()
    let directory = try identity.directory()
    return History(
      own: identity.peer, connection: connection,
      listing: try selection(identity, directory).listing,
      segments: { SegmentStore(directory, peer: $0, using: environment.fileSystem) },
      verified: VerifiedSegments(), relist: { try relist($0, identity, directory) })
  }

  /// Returns the logs without what was issued again under another identity.
  func selection(
    _ identity: StoreIdentity, _ directory: ContentDirectory
  ) throws -> BranchSelection {
    let (branches, listing) = try branches(identity, directory)
    return try branches.select(from: listing, known: KnowledgeTable(connection).peers())
  }

  func branches(
    _ identity: StoreIdentity, _ directory: ContentDirectory
  ) throws -> (Branches, ContentListing) {
    let listing = try ContainerScanner(directory, using: environment.fileSystem).scan()
    let manifests = ManifestCache().read(
      listing, in: directory, for: identity.peer, environment)
    return (
      try Branches(
        own: identity.peer, connection: connection, manifests: manifests, environment: environment),
      listing
    )
  }

  /// Returns the present segments of a peer, after a listed one has gone.
  private func relist(
    _ peer: PeerIdentity, _ identity: StoreIdentity, _ directory: ContentDirectory
  ) throws -> [SegmentFile] {
    try selection(identity, directory).listing.peers.first { $0.peer == peer }?.segments ?? []
  }

  private func makeStreams(
    _ identity: StoreIdentity, _ directory: ContentDirectory, _ known: Knowledge
  ) throws -> [any TransactionStream] {
    var streams: [any TransactionStream] = [
      try OutboxStream(peer: identity.peer, connection: connection)
    ]
    let listing = try selection(identity, directory).listing
    for entry in known.entries {
      streams.append(
        try SegmentStream(
          listing.peers.first { $0.peer == entry.peer } ?? PeerListing(peer: entry.peer),
          segments: SegmentStore(directory, peer: entry.peer, using: environment.fileSystem),
          after: .zero, upTo: entry.sequence, verified: VerifiedSegments(),
          relist: { try relist($0, identity, directory) }))
    }
    return streams
  }
}
