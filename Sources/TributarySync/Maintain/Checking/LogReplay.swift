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
    let exchange = try Exchange(of: connection, environment)
    let known = try KnowledgeTable(connection).current()
    let streams = try makeStreams(exchange, known)
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
      throw Self.lacks((last[entry.peer] ?? .zero).next, of: entry.peer, exchange.directory)
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

  /// Returns the error for a transaction that has been imported, and that no intact segment has.
  static func lacks(
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
    let exchange = try Exchange(of: connection, environment)
    return History(
      own: exchange.own, connection: connection, listing: try exchange.selection().listing,
      segments: { exchange.segments(of: $0) }, verified: exchange.memory.verified,
      relist: { try relist($0, exchange) })
  }

  /// Returns the present segments of a peer, after a listed one has gone.
  private func relist(_ peer: PeerIdentity, _ exchange: Exchange) throws -> [SegmentFile] {
    var exchange = exchange
    try exchange.look()
    return try exchange.selection().listing.peers.first { $0.peer == peer }?.segments ?? []
  }

  private func makeStreams(
    _ exchange: Exchange, _ known: Knowledge
  ) throws -> [any TransactionStream] {
    let own = try OutboxStream(peer: exchange.own, connection: connection)
    let listing = try exchange.selection().listing
    return [own]
      + known.entries.map { entry in
        SegmentStream(
          listing.peers.first { $0.peer == entry.peer } ?? PeerListing(peer: entry.peer),
          segments: exchange.segments(of: entry.peer), after: .zero, upTo: entry.sequence,
          verified: exchange.memory.verified, relist: { try relist($0, exchange) })
      }
  }
}
