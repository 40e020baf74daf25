import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Reads, for transactions that a store has, what came before them, but not what they changed.
struct LoggedHeads {
  let exchange: Exchange
  private let selection: BranchSelection
  /// Everything that the store had imported when this was created.
  let imported: Knowledge
  private let peers: [PeerIdentity: KnowledgeTable.Peer]

  /// Something needed is in no file that is here and whole.
  struct Missing: Error {
    var entry: Knowledge.Entry
  }

  private var own: PeerIdentity { exchange.own }
  private var connection: Connection { exchange.connection }

  init(_ exchange: Exchange) throws {
    self.exchange = exchange
    selection = try exchange.selection()
    let known = try KnowledgeTable(exchange.connection).peers()
    imported = Knowledge(known.map { Knowledge.Entry(peer: $0.peer, sequence: $0.sequence) })
    peers = Dictionary(known.map { ($0.peer, $0) }, uniquingKeysWith: { $1 })
  }

  /// Calls `body` with the imported transactions beyond a horizon.
  ///
  /// - Throws: `Missing`.
  func forEachImported(beyond horizon: Knowledge, _ body: (Antecedents) throws -> Void) throws {
    for entry in imported.entries where entry.peer != own {
      try forEach(of: entry.peer, after: horizon[entry.peer], upTo: entry.sequence) {
        try body(Antecedents($0, of: entry.peer))
      }
    }
  }

  /// Whether an imported transaction beyond a horizon is in no file that is here and whole.
  func lacksImported(beyond horizon: Knowledge) throws -> Bool {
    do {
      try forEachImported(beyond: horizon) { _ in }
      return false
    } catch is Missing {
      return true
    }
  }

  /// Returns the transactions of others that a horizon contains and the store lacks, as far as there are
  /// files with them, and whether these files contain all of them.
  func missing(
    from horizon: Knowledge
  ) throws -> (transactions: [Antecedents], areHere: Bool) {
    var found: [Antecedents] = []
    var areHere = true
    for entry in horizon.entries where entry.peer != own && imported[entry.peer] < entry.sequence {
      do {
        try forEach(of: entry.peer, after: imported[entry.peer], upTo: entry.sequence) {
          found.append(Antecedents($0, of: entry.peer))
        }
      } catch is Missing {
        // Transactions after the gap pass what came before them, or wait for it.
        areHere = false
      }
    }
    return (found, areHere)
  }

  /// Returns the own transactions beyond a horizon that decide whether all of them pass it: the first one,
  /// since later ones know no less, and those that are based on an earlier version.
  ///
  /// - Complexity: reads no other records.
  func deciding(beyond horizon: Knowledge) throws -> [Antecedents] {
    let outbox = Outbox(connection)
    let first = horizon[own].next
    guard let last = try outbox.last()?.sequence, first <= last else { return [] }
    let records =
      try outbox.records(from: first, to: first).filter { $0.basis == nil }
      + outbox.basedRecords(from: first, to: last)
    return try records.map { record in
      var knowledge = try record.basis ?? KnowledgeTable(connection).at(record.sequence)
      if record.basis == nil { knowledge[own] = SequenceNumber(record.sequence.rawValue - 1) }
      return Antecedents(author: own, sequence: record.sequence, knowledge: knowledge)
    }
  }

  /// Returns one transaction from a file; `nil` if no file contains it now.
  func transaction(_ sequence: SequenceNumber, of peer: PeerIdentity) -> Antecedents? {
    stream(of: peer, after: SequenceNumber(sequence.rawValue - 1), upTo: sequence).head.map {
      Antecedents($0, of: peer)
    }
  }

  /// Returns when the last transaction of each peer in a horizon was made.
  ///
  /// - Parameter known: a declaration whose times are known.
  /// - Throws: `Missing`.
  func times(of horizon: Knowledge, _ known: Declaration?) throws -> [PeerIdentity: HybridTime] {
    var times: [PeerIdentity: HybridTime] = [:]
    for entry in horizon.entries {
      guard let time = try time(of: entry, known) else { throw Missing(entry: entry) }
      times[entry.peer] = time
    }
    return times
  }

  private func time(of entry: Knowledge.Entry, _ known: Declaration?) throws -> HybridTime? {
    if let known, known.horizon[entry.peer] == entry.sequence { return known.times[entry.peer] }
    if entry.peer == own {
      return try Outbox(connection).records(from: entry.sequence, to: entry.sequence).first?.time
    }
    if let peer = peers[entry.peer], peer.sequence == entry.sequence { return peer.time }
    let before = SequenceNumber(entry.sequence.rawValue - 1)
    let stream = stream(of: entry.peer, after: before, upTo: entry.sequence)
    if let failure = stream.failure, failure.stopsAll { throw failure }
    return stream.head?.time
  }

  /// Returns the largest part of a horizon that contains nothing younger than a given time.
  ///
  /// - Parameter least: what the part contains in any case.
  func limit(_ horizon: Knowledge, before milliseconds: UInt64, containing least: Knowledge) throws
    -> Knowledge
  {
    Knowledge(
      try horizon.entries.map { entry in
        let last = try last(of: entry, before: milliseconds, after: least[entry.peer])
        return Knowledge.Entry(peer: entry.peer, sequence: max(last, least[entry.peer]))
      })
  }

  private func last(
    of entry: Knowledge.Entry, before milliseconds: UInt64, after least: SequenceNumber
  ) throws -> SequenceNumber {
    let end = min(milliseconds, HybridTime.maximumMilliseconds)
    let time = HybridTime(milliseconds: end, counter: 0)
    if entry.peer == own {
      let first = try Outbox(connection).firstSequence(notBefore: time)
      return min(entry.sequence, first.map { SequenceNumber($0.rawValue - 1) } ?? .max)
    }
    if let peer = peers[entry.peer], peer.sequence <= entry.sequence, peer.time < time {
      return peer.sequence
    }
    var upper = entry.sequence
    let segments = exchange.segments(of: entry.peer)
    while upper > least, let file = file(with: upper, of: entry.peer) {
      // Times rise with sequences, so a file that begins too late contains nothing that is old enough.
      guard try header(of: file.name, in: segments, entry).firstTime < time else {
        upper = SequenceNumber(file.name.first.rawValue - 1)
        continue
      }
      var last = SequenceNumber(file.name.first.rawValue - 1)
      try forEach(of: entry.peer, after: last, upTo: upper) { head in
        if head.time < time { last = head.sequence }
      }
      return last
    }
    return least
  }

  /// - Throws: `Missing` for a file that is damaged or gone, or above a horizon that is not known.
  private func header(
    of name: SegmentName, in segments: SegmentStore, _ entry: Knowledge.Entry
  ) throws -> SegmentHeader {
    do {
      return try segments.header(of: name)
    } catch {
      // A damaged header may name another peer.
      guard [.damagedFile, .missingFile, .foreign].contains(error.code) else { throw error }
      throw Missing(entry: entry)
    }
  }

  private func file(with sequence: SequenceNumber, of peer: PeerIdentity) -> SegmentFile? {
    selection.readable.peers.first { $0.peer == peer }?.segments.first {
      $0.name.first <= sequence && sequence <= $0.name.last
    }
  }

  private func forEach(
    of peer: PeerIdentity, after first: SequenceNumber, upTo last: SequenceNumber,
    _ body: (TransactionHeader) throws -> Void
  ) throws {
    guard first < last else { return }
    let stream = stream(of: peer, after: first, upTo: last)
    var next = first.next
    while let head = stream.head, head.sequence == next {
      try body(head)
      next = next.next
      stream.advance()
    }
    if let failure = stream.failure, failure.stopsAll { throw failure }
    guard next > last else { throw Missing(entry: Knowledge.Entry(peer: peer, sequence: next)) }
  }

  private func stream(
    of peer: PeerIdentity, after first: SequenceNumber, upTo last: SequenceNumber
  ) -> SegmentStream {
    SegmentStream(
      selection.readable.peers.first { $0.peer == peer } ?? PeerListing(peer: peer),
      segments: exchange.segments(of: peer), after: first,
      upTo: min(last, selection.limits[peer] ?? .max), verified: exchange.memory.verified)
  }
}

extension Antecedents {
  /// Creates them from what a log states about a transaction.
  init(_ head: TransactionHeader, of author: PeerIdentity) {
    var knowledge = head.basis ?? head.knowledge
    if head.basis == nil { knowledge[author] = SequenceNumber(head.sequence.rawValue - 1) }
    self.init(author: author, sequence: head.sequence, knowledge: knowledge)
  }
}
