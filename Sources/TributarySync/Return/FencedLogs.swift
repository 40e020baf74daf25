import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// What a store has beyond a declared horizon, and which part of it is *fenced*: it does not pass, or its
/// author knew something that does not.
struct FencedLogs {
  /// The store as it was.
  let exchange: Exchange
  let declaration: Declaration
  /// What the store has imported and made, and what it issues again for a retired author.
  let known: Knowledge
  /// The same, without what was never imported.
  private let imported: Knowledge
  /// The logs without what was issued again under another identity.
  private let listing: ContentListing
  /// For each author with fenced transactions, the last one that is not fenced.
  private(set) var limits: [PeerIdentity: SequenceNumber] = [:]
  /// What the store has forgotten.
  let settled: Knowledge
  /// The part of that which the horizon lacks. It is in no transaction any more.
  let forgotten: Knowledge
  /// What the store has imported beyond the horizon from authors whose logs are lost. Up to there, only rows
  /// show what these did.
  private(set) var lost = Knowledge()
  private let passesOverLost: Bool
  /// The authors whose stores have left behind files above horizons that are not known here any more.
  private var unreadable: Set<PeerIdentity> = []
  /// What a retired peer has published beyond that; `nil` if the store comes back for another reason.
  let retired: RetiredLog?
  /// Up to which transaction others have issued again what is fenced.
  let issuedByOthers: [PeerIdentity: SequenceNumber]
  /// The last transactions that pass, of authors from whom the store has any beyond the horizon.
  private(set) var passing = Knowledge()

  private var own: PeerIdentity { exchange.own }

  /// Sorts the transactions.
  ///
  /// - Parameters:
  ///   - settled: the declaration by whose horizon the store has forgotten; `nil` if it has not.
  ///   - passesOverLost: whether no device will bring transactions that are in no file and whose authors are
  ///     not members of the declaration.
  ///   - retired: what the store has not imported, and issues again for its author.
  /// - Throws: `SyncError` with the code `logsMissing` if the container lacks the text of one; `SyncError`
  ///   with the code `forked` if the store has imported what turned out to be another's.
  init(
    _ exchange: Exchange, _ declaration: Declaration, forgottenBeneath settled: Declaration?,
    passingOverLost passesOverLost: Bool = false, with retired: RetiredLog? = nil
  ) throws {
    self.passesOverLost = passesOverLost
    self.exchange = exchange
    self.declaration = declaration
    let horizon = settled?.horizon ?? Knowledge()
    self.settled = horizon
    forgotten = Knowledge(
      horizon.entries.filter { $0.sequence > declaration.horizon[$0.peer] })
    let selection = try exchange.selection()
    guard selection.strayed.isEmpty else {
      throw SyncError(
        .forked, "the store has imported what others have issued again under another name",
        path: exchange.connection.filePath,
        remedy: "run `tributary rebuild`, which returns it to the logs; then sync again")
    }
    listing = selection.readable
    var known = try KnowledgeTable(exchange.connection).current()
    known[exchange.own] = try Outbox(exchange.connection).last()?.sequence ?? .zero
    self.retired = retired
    issuedByOthers = exchange.manifests.reissued(byOthersThan: exchange.own)
    imported = known
    if let retired { known[retired.peer] = retired.last }
    self.known = known
    try sort()
  }

  /// Whether the horizon lacks everything that the store has forgotten, as where copies of one database were
  /// adopted apart.
  var sharesNothingForgotten: Bool { settled.intersection(declaration.horizon).isEmpty }

  /// Whether the store has something beyond the horizon that is in no transaction any more.
  var hasRowsAlone: Bool { !forgotten.isEmpty || !lost.isEmpty }

  /// Whether everything passes.
  var isEmpty: Bool { limits.isEmpty }

  /// Whether a transaction is fenced.
  func contains(_ side: Conflict.Side) -> Bool {
    limits[side.peer].map { side.sequence > $0 && side.sequence <= known[side.peer] } ?? false
  }

  /// A log that no file contains to the end.
  private struct Absent: Error {
    var transaction: MissingTransaction
    /// The file that contains the rest, but is written above a horizon that is not known here.
    var unknown: ContainerError?
  }

  private func error(for absent: Absent) -> SyncError {
    guard let unknown = absent.unknown else { return absent.transaction.error(in: exchange) }
    return SyncError(
      .logsMissing, unknown.finding, path: unknown.path, remedy: unknown.remedy, underlying: unknown
    )
  }

  private mutating func sort() throws {
    while true {
      do {
        return try sortPresent()
      } catch let absent as Absent {
        let peer = absent.transaction.peer
        if try absent.unknown != nil && isLeftBehind(peer), unreadable.insert(peer).inserted {
          // Its store has issued that again.
        } else if passesOverLost, peer != own, peer != retired?.peer, lost[peer] == .zero,
          !declaration.members.contains(peer)
        {
          lost[peer] = known[peer]
        } else {
          throw error(for: absent)
        }
        (limits, passing) = ([:], Knowledge())
      }
    }
  }

  private mutating func sortPresent() throws {
    guard !hasRowsAlone else {
      // Whatever came after that knew it, or may have known it.
      for entry in known.entries where entry.sequence > declaration.horizon[entry.peer] {
        limits[entry.peer] = declaration.horizon[entry.peer]
      }
      // Other logs may be lost, too.
      if !lost.isEmpty { try readFenced({ _ in true }, { _, _ in }) }
      return
    }
    try fenceRemoved()
    let place = { [declaration, limits] (peer: PeerIdentity) in
      limits[peer] == nil ? declaration.horizon[peer] : .max
    }
    try forEach(after: place) { stream, head in
      let (peer, sequence) = (stream.peer, head.sequence)
      if limits[peer] != nil { return }
      let isLost =
        sequence > imported[peer]
        || !declaration.admits(Self.antecedents(head, of: peer))
        || head.knowledge.entries.contains { entry in
          limits[entry.peer].map { entry.sequence > $0 } ?? false
        }
      if isLost {
        limits[peer] = SequenceNumber(sequence.rawValue - 1)
      } else {
        passing[peer] = sequence
      }
    }
    if let retired { limits[retired.peer] = max(limits[retired.peer] ?? .zero, retired.done) }
  }

  /// Whether the author's store has come back, by this declaration or one that this store knows.
  private func isLeftBehind(_ peer: PeerIdentity) throws -> Bool {
    try peer != own && exchange.isLeftBehind(peer, latest: declaration)
  }

  /// Treats as fenced what its author's store has left behind and is not completely in files any more, or in
  /// files that cannot be read: that store has issued again what did not pass.
  private mutating func fenceRemoved() throws {
    for entry in known.entries where entry.sequence > declaration.horizon[entry.peer] {
      let first = declaration.horizon[entry.peer]
      guard try isLeftBehind(entry.peer),
        unreadable.contains(entry.peer)
          || !(listing.peers.first { $0.peer == entry.peer }?
            .hasSegments(after: first, upTo: entry.sequence) ?? false)
      else { continue }
      limits[entry.peer] = first
    }
  }

  private static func antecedents(_ head: TransactionHeader, of author: PeerIdentity) -> Antecedents
  {
    var knowledge = head.basis ?? head.knowledge
    if head.basis == nil { knowledge[author] = SequenceNumber(head.sequence.rawValue - 1) }
    return Antecedents(author: author, sequence: head.sequence, knowledge: knowledge)
  }

  /// Passes on the fenced transactions that are not forgotten, in order of stamp, with the streams from which
  /// to read their changes.
  ///
  /// - Parameter isWanted: selects authors.
  func forEachFenced(
    by isWanted: (PeerIdentity) -> Bool = { _ in true },
    _ body: (any TransactionStream, TransactionHeader) throws -> Void
  ) throws {
    do {
      try readFenced(isWanted, body)
    } catch let absent as Absent { throw error(for: absent) }
  }

  private func readFenced(
    _ isWanted: (PeerIdentity) -> Bool,
    _ body: (any TransactionStream, TransactionHeader) throws -> Void
  ) throws {
    let places = try Dictionary(
      uniqueKeysWithValues: limits.map { ($0, try beginning(of: $0, after: $1)) })
    try forEach(after: { isWanted($0) ? places[$0] ?? .max : .max }, body)
  }

  /// Returns the transaction after which a fenced log is read. Of the own transactions that are forgotten, records or
  /// files may still contain the last ones: these show what was inserted and deleted.
  private func beginning(
    of peer: PeerIdentity, after limit: SequenceNumber
  ) throws -> SequenceNumber {
    let end = max(limit, forgotten[peer], lost[peer])
    guard peer == own, end > limit else { return end }
    var beginning = remainder(of: Knowledge.Entry(peer: peer, sequence: known[peer]))
    if let record = try Outbox(exchange.connection).firstWithChanges() {
      beginning = min(beginning, SequenceNumber(record.rawValue - 1))
    }
    return max(limit, min(end, beginning))
  }

  /// Returns the transaction after which files contain a log up to an entry, judging by their names.
  func remainder(of entry: Knowledge.Entry) -> SequenceNumber {
    let files = listing.peers.first { $0.peer == entry.peer }
    return (files ?? PeerListing(peer: entry.peer)).remainder(upTo: entry.sequence)
  }

  private func hasRecords(after last: SequenceNumber) throws -> Bool {
    try Outbox(exchange.connection).firstWithChanges().map { $0 <= last.next } ?? false
  }

  /// Passes on what the store has after a given place in each log, in order of stamp.
  private func forEach(
    after place: (PeerIdentity) -> SequenceNumber,
    _ body: (any TransactionStream, TransactionHeader) throws -> Void
  ) throws {
    var streams: [any TransactionStream] = []
    for entry in known.entries where entry.sequence > place(entry.peer) {
      streams.append(try stream(of: entry, after: place(entry.peer)))
    }
    var last: [PeerIdentity: SequenceNumber] = [:]
    try Self.forEach(streams) { stream, head in
      try body(stream, head)
      last[stream.peer] = head.sequence
    }
    for stream in streams {
      let segments = stream as? SegmentStream
      if let failure = segments?.failure { throw failure }
      let end = last[stream.peer] ?? place(stream.peer)
      if end < known[stream.peer] {
        throw Absent(
          transaction: MissingTransaction(sequence: end.next, peer: stream.peer),
          unknown: segments?.obstacle)
      }
    }
  }

  /// Returns what the store has of an author's log after some transaction.
  func stream(
    of entry: Knowledge.Entry, after first: SequenceNumber
  ) throws -> any TransactionStream {
    // If the store has forgotten these, there may be no records any more.
    if entry.peer == own, retired == nil, try hasRecords(after: first) {
      return try OutboxStream(peer: own, connection: exchange.connection, from: first.next)
    }
    return SegmentStream(
      listing.peers.first { $0.peer == entry.peer } ?? PeerListing(peer: entry.peer),
      segments: exchange.segments(of: entry.peer), after: first, upTo: entry.sequence,
      verified: exchange.memory.verified)
  }

  /// Passes on transactions in order of stamp.
  static func forEach(
    _ streams: [any TransactionStream],
    _ body: (any TransactionStream, TransactionHeader) throws -> Void
  ) throws {
    var order = StampOrder()
    while let position = order.earliest(of: streams.count, stamp: { streams[$0].stamp }),
      let head = streams[position].head
    {
      try body(streams[position], head)
      try streams[position].advance()
    }
  }
}
