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

  /// Passes on each stream when its head is the next transaction. The caller reads the changes.
  ///
  /// If the store has forgotten what is below a horizon, the first transaction stands for that.
  ///
  /// - Parameter beginning: what the tables show already. If given, only the transactions after it follow.
  /// - Returns: the number of transactions, including forgotten ones.
  /// - Throws: `SyncError` with the code `logsMissing` if the container lacks some.
  func forEachTransaction(
    after beginning: SettledRows? = nil,
    _ body: (any TransactionStream, TransactionHeader) throws -> Void
  ) throws -> Int {
    let exchange = try Exchange(of: connection, environment)
    let known = try KnowledgeTable(connection).current()
    let settled = try beginning ?? SettledRows(exchange)
    var streams = try makeStreams(exchange, known, after: settled?.horizon ?? Knowledge())
    if beginning == nil, let settled {
      streams.insert(try lookingUp { try settled.stream() }, at: 0)
    }
    var last: [PeerIdentity: SequenceNumber] = [:]
    for entry in settled?.horizon.entries ?? [] { last[entry.peer] = entry.sequence }
    var count = settled?.count ?? 0
    var order = StampOrder()
    while let position = order.earliest(of: streams.count, stamp: { streams[$0].stamp }),
      let head = streams[position].head
    {
      let stream = streams[position]
      try body(stream, head)
      last[stream.peer] = head.sequence
      if head.sequence > .zero { count += 1 }
      try stream.advance()
    }
    for case let stream as SegmentStream in streams {
      if let obstacle = stream.obstacle { throw obstacle }
    }
    for entry in known.entries where last[entry.peer] ?? .zero < entry.sequence {
      throw MissingTransaction(sequence: (last[entry.peer] ?? .zero).next, peer: entry.peer)
        .error(in: exchange)
    }
    return count
  }

  /// Runs a search in the history.
  ///
  /// - Throws: `SyncError` with the code `logsMissing` if the container lacks what it needs.
  func lookingUp<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let missing as History.Missing {
      let exchange = try Exchange(of: connection, environment)
      if let settled = try settled(), missing.sequence <= settled.horizon[missing.peer] {
        throw Self.lacksBaseline(settled, exchange.directory)
      }
      throw MissingTransaction(sequence: missing.sequence, peer: missing.peer).error(in: exchange)
    }
  }

  /// Returns the error for the case that no whole baseline stands for what the store has forgotten: no
  /// segment contains that any more.
  private static func lacksBaseline(
    _ settled: SettledRows, _ directory: ContentDirectory
  ) -> SyncError {
    SyncError(
      .logsMissing,
      "the container has no whole baseline that stands for the \(settled.count) transactions which "
        + "the store has forgotten",
      path: directory.path,
      remedy:
        "wait for the carrier, or bring one back from another device's copy of the container or "
        + "from a backup; if there is none any more, run `tributary baseline` on another device that has the rows, and "
        + "`tributary sync` here and there; if no other device has them, run `tributary sync` here")
  }

  /// Returns the same logs for searches.
  func history() throws -> History {
    let exchange = try Exchange(of: connection, environment)
    return History(
      own: exchange.own, connection: connection, listing: try exchange.selection().readable,
      segments: { exchange.segments(of: $0) }, verified: exchange.memory.verified,
      relist: { try relist($0, exchange) }, settled: try settled())
  }

  /// Returns the rows that stand for the transactions that the store has forgotten; `nil` if there are none.
  func settled() throws -> SettledRows? {
    try SettledRows(Exchange(of: connection, environment))
  }

  /// Returns the present segments of a peer, after a listed one has disappeared.
  private func relist(_ peer: PeerIdentity, _ exchange: Exchange) throws -> [SegmentFile] {
    var exchange = exchange
    try exchange.look()
    return try exchange.selection().readable.peers.first { $0.peer == peer }?.segments ?? []
  }

  private func makeStreams(
    _ exchange: Exchange, _ known: Knowledge, after horizon: Knowledge
  ) throws -> [any TransactionStream] {
    let own = try OutboxStream(
      peer: exchange.own, connection: connection, from: horizon[exchange.own].next)
    let listing = try exchange.selection().readable
    return [own]
      + known.entries.map { entry in
        SegmentStream(
          listing.peers.first { $0.peer == entry.peer } ?? PeerListing(peer: entry.peer),
          segments: exchange.segments(of: entry.peer), after: horizon[entry.peer],
          upTo: entry.sequence, verified: exchange.memory.verified,
          relist: { try relist($0, exchange) })
      }
  }
}
