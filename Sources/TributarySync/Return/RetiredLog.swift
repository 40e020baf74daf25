import TributaryContainer
import TributaryCore
import TributaryReplay
import TributarySQLite
import TributaryStore

/// What a peer that this store's user has retired had published, and no store can import any more. Its author
/// will not issue it again, so this store does (rule 12 of `docs/space-return.md`).
struct RetiredLog: Equatable {
  let peer: PeerIdentity
  /// The last transaction that this store has imported, or has issued again before.
  let done: SequenceNumber
  /// The last transaction that is here.
  let last: SequenceNumber

  /// Returns the first such log; `nil` if there is none.
  ///
  /// What arrives after the peer was retired may come from the device itself, which then returns and issues it
  /// again. So it counts only when nothing more of it has arrived for the patience of the policy.
  ///
  /// - Parameter outside: what has arrived and is not imported.
  static func next(_ outside: [Waiting], _ exchange: Exchange) throws -> RetiredLog? {
    let outside = outside.filter { $0.isFenced || $0.isGap }
    if outside.isEmpty { return nil }
    var retired = try Retirements(Settings(exchange.connection)).all()
    let detached = Set(outside.map(\.peer)).filter {
      exchange.manifests.all[$0]?.isDetached ?? false
    }
    if !detached.isEmpty, try isFirst(exchange) { retired.formUnion(detached) }
    if retired.isEmpty { return nil }
    let listing = try exchange.selection().listing
    let notes = try noteArrivals(of: retired.intersection(outside.map(\.peer)), exchange)
    guard let obeyed = try HorizonRecord(exchange.connection).state.obeyed else { return nil }
    let issued = try Self.issued(exchange.connection)
    let issuedByOthers = exchange.manifests.reissued(byOthersThan: exchange.own)
    // If an identity was left, its store has issued the transactions again itself. What a member has beyond
    // the horizon passes.
    let left = Set(exchange.manifests.all.values.flatMap(\.former.keys))
      .union(try FormerIdentities(exchange.connection).all().map(\.peer)).union(obeyed.members)
    let known = try KnowledgeTable(exchange.connection).current()
    let holders = TransactionHolders(exchange)
    for waiting in outside {
      let peer = waiting.peer
      guard retired.contains(peer), !left.contains(peer), peer != exchange.own,
        try exchange.isFenced(waiting, among: outside)
          || isAbandoned(waiting, retired, listing, holders)
      else { continue }
      var done = known[peer]
      if let before = issued[peer] { done = max(done, before.last) }
      guard notes.arrivals[peer]?.time == 0,
        let peerListing = listing.peers.first(where: { $0.peer == peer })
      else { continue }
      let stream = SegmentStream(
        peerListing, segments: exchange.segments(of: peer), after: done, upTo: .max,
        verified: exchange.memory.verified)
      var last = done
      while let head = stream.head {
        last = head.sequence
        stream.advance()
      }
      if last > max(done, issuedByOthers[peer] ?? .zero) {
        return RetiredLog(peer: peer, done: done, last: last)
      }
    }
    return nil
  }

  /// Whether this store is the one that issues again what stores had published that were then detached. Nobody has
  /// retired these, so the others leave it to the first active peer that obeys the same declaration.
  private static func isFirst(_ exchange: Exchange) throws -> Bool {
    guard let obeyed = try HorizonRecord(exchange.connection).state.obeyed else { return false }
    let patience = exchange.environment.horizons.patience
    let active = try HorizonMembers(exchange, patience: patience).active
    return active.filter(obeyed.members.contains).min() == exchange.own
  }

  /// Whether a store was detached that had published this, and has left its logs.
  static func isDetached(
    _ peer: PeerIdentity, _ environment: StoreEnvironment, _ directory: ContentDirectory
  ) -> Bool {
    // A file that cannot be read says nothing of the kind.
    let manifest = try? PeerManifest.read(of: peer, in: directory, using: environment.fileSystem)
    return manifest?.isDetached ?? false
  }

  /// Records since when nothing more has arrived of the logs of retired peers.
  ///
  /// - Returns: the notes, with what has been recorded.
  private static func noteArrivals(
    of peers: Set<PeerIdentity>, _ exchange: Exchange
  ) throws -> HorizonNotes {
    let now = exchange.environment.clock.milliseconds()
    let patience = exchange.environment.horizons.lossPatience
    func updated(_ notes: HorizonNotes) -> HorizonNotes {
      var notes = notes
      let before = notes.arrivals
      notes.arrivals = [:]
      for peer in peers {
        var arrival = HorizonNotes.Arrival(last: exchange.listing.last(of: peer), time: now)
        if let known = before[peer], known.last == arrival.last { arrival.time = known.time }
        if HorizonNotes.hasPassed(patience, since: arrival.time, now) { arrival.time = 0 }
        notes.arrivals[peer] = arrival
      }
      return notes
    }
    let notes = try HorizonNotes(exchange.connection)
    if updated(notes) == notes { return notes }
    return try exchange.connection.immediate {
      let notes = try updated(HorizonNotes(exchange.connection))
      try notes.write(to: exchange.connection)
      return notes
    }
  }

  /// Records that nothing more of a peer's log will arrive: the user has just retired it.
  static func noteEnd(of peer: PeerIdentity, _ exchange: Exchange) throws {
    try exchange.connection.immediate {
      var notes = try HorizonNotes(exchange.connection)
      notes.arrivals[peer] = .init(last: exchange.listing.last(of: peer), time: 0)
      try notes.write(to: exchange.connection)
    }
  }

  /// Whether a transaction waits for one that is in no file and on no device that is counted on, and whose
  /// author is retired, too.
  private static func isAbandoned(
    _ waiting: Waiting, _ retired: Set<PeerIdentity>, _ listing: ContentListing,
    _ holders: TransactionHolders
  ) -> Bool {
    guard case .transaction(let author, let sequence) = waiting.reason else { return false }
    return retired.contains(author) && !listing.holds(sequence, of: author)
      && holders.holders(of: sequence, author).allSatisfy(retired.contains)
  }

  /// Returns, for each retired peer, up to which transaction a store has issued its remaining transactions
  /// again.
  static func reissued(in connection: Connection) throws -> [PeerIdentity: SequenceNumber] {
    try issued(connection).mapValues(\.last)
  }

  /// Records in a store that it has issued this again.
  func noteIssued(in connection: Connection, milliseconds: UInt64) throws {
    var issued = try Self.issued(connection)
    issued[peer] = (last, milliseconds)
    try Settings(connection).set(
      .reissued,
      lines: issued.sorted { $0.key < $1.key }.map {
        "\($0.value.last.rawValue) \($0.value.time) \($0.key)"
      })
  }

  private typealias Issued = [PeerIdentity: (last: SequenceNumber, time: UInt64)]

  private static func issued(_ connection: Connection) throws -> Issued {
    var issued: Issued = [:]
    for line in try Settings(connection).lines(.reissued) {
      let words = line.split(separator: " ")
      guard words.count == 3, let last = UInt64(words[0]), let time = UInt64(words[1]),
        let peer = PeerIdentity(hex: String(words[2]))
      else {
        throw StoreError.damaged(
          "the bookkeeping no longer says what the store has issued again for retired peers",
          path: connection.path)
      }
      issued[peer] = (SequenceNumber(last), time)
    }
    return issued
  }
}

extension ContentListing {
  /// The last transaction that a peer's files should contain by their names.
  fileprivate func last(of peer: PeerIdentity) -> SequenceNumber {
    peers.first { $0.peer == peer }?.segments.map(\.name.last).max() ?? .zero
  }
}

extension PeerManifest {
  /// Whether the store was detached and has left its logs.
  fileprivate var isDetached: Bool { retired.contains(peer) && !hasRemovedLogs }
}
