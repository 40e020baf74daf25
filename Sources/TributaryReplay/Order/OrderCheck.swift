internal import TributaryCore
internal import TributaryLog

/// Checks that transactions, in order of their stamps, come after their causes, and finds missing
/// transactions.
struct OrderCheck {
  private struct Author {
    var peer: PeerIdentity
    var last = SequenceNumber.zero
    var time: HybridTime?
    var knowledge = Knowledge()
  }

  /// How a transaction contradicts earlier ones.
  enum Contradiction: Hashable {
    /// It is not later than the previous one of its peer.
    case order
    /// It is later than a transaction of that peer whose author already knew it.
    case cause(PeerIdentity)
  }

  private var authors: [Author] = []
  private var indices: [PeerIdentity: Int] = [:]
  /// The index of the author of the last transaction, who is usually the author of the next one too.
  private var lastIndex: Int?
  /// The transactions that have not come yet, each with a transaction that knew of it.
  private var expected: [Knowledge.Entry: Knowledge.Entry] = [:]

  /// Sequence numbers of a peer that no file contains although later ones exist.
  private(set) var gaps: [(peer: PeerIdentity, missing: ClosedRange<SequenceNumber>)] = []

  /// For each peer, the peers by which a cause came late.
  private var late: [PeerIdentity: Set<PeerIdentity>] = [:]
  /// At most this many waits are recorded.
  private static let waitLimit = 100_000

  /// For each pair of peers, the first transaction of one of them that came before a cause by the other, and
  /// that cause.
  private(set) var waits: [(peer: PeerIdentity, sequence: SequenceNumber, cause: Knowledge.Entry)] =
    []

  /// Checks the next transaction.
  ///
  /// - Returns: how it contradicts earlier ones, and the transaction that it contradicts; `nil` if it
  ///   contradicts none.
  mutating func take(
    _ transaction: TransactionHeader, of peer: PeerIdentity
  ) -> (contradiction: Contradiction, other: SequenceNumber)? {
    let index = index(of: peer)
    let sequence = transaction.sequence
    let previous = authors[index].last
    if sequence > previous.next {
      let last = SequenceNumber(sequence.rawValue - 1)
      gaps.append((peer, previous.next...last))
      wait(for: Knowledge.Entry(peer: peer, sequence: last), peer, sequence)
    }
    var contradiction: (Contradiction, SequenceNumber)?
    if let time = authors[index].time, transaction.time <= time {
      contradiction = (.order, previous)
    }
    authors[index].last = sequence
    authors[index].time = transaction.time
    if !expected.isEmpty,
      let knower = expected.removeValue(
        forKey: Knowledge.Entry(peer: peer, sequence: sequence))
    {
      contradiction = (.cause(knower.peer), knower.sequence)
    }
    if transaction.knowledge != authors[index].knowledge {
      expect(transaction.knowledge, before: authors[index].knowledge, peer, sequence)
      authors[index].knowledge = transaction.knowledge
    }
    return contradiction
  }

  /// Records what a transaction knows that its author did not know before and that has not come yet.
  private mutating func expect(
    _ knowledge: Knowledge, before: Knowledge, _ peer: PeerIdentity, _ sequence: SequenceNumber
  ) {
    for entry in knowledge.exceeding(before) {
      guard entry.sequence > last(of: entry.peer) else { continue }
      wait(for: entry, peer, sequence)
      if expected[entry] == nil {
        expected[entry] = Knowledge.Entry(peer: peer, sequence: sequence)
      }
    }
  }

  private mutating func wait(
    for cause: Knowledge.Entry, _ peer: PeerIdentity, _ sequence: SequenceNumber
  ) {
    if waits.count < Self.waitLimit, late[peer, default: []].insert(cause.peer).inserted {
      waits.append((peer, sequence, cause))
    }
  }

  /// The transactions that were there.
  var coverage: LogCoverage {
    LogCoverage(
      gaps: gaps,
      last: Dictionary(authors.map { ($0.peer, $0.last) }, uniquingKeysWith: { $1 }))
  }

  private func last(of peer: PeerIdentity) -> SequenceNumber {
    indices[peer].map { authors[$0].last } ?? .zero
  }

  private mutating func index(of peer: PeerIdentity) -> Int {
    if let lastIndex, authors[lastIndex].peer == peer { return lastIndex }
    let index = indices[peer] ?? authors.count
    if index == authors.count {
      authors.append(Author(peer: peer))
      indices[peer] = index
    }
    lastIndex = index
    return index
  }

  /// For each peer, the highest of its transactions that another transaction knew and that no file contains.
  ///
  /// Use it only after all transactions have been checked.
  var unknown: [(peer: PeerIdentity, last: SequenceNumber, knower: PeerIdentity)] {
    var highest: [PeerIdentity: (SequenceNumber, PeerIdentity)] = [:]
    for (missing, knower) in expected where missing.sequence > highest[missing.peer]?.0 ?? .zero {
      // A transaction in a gap is reported as part of the gap.
      if missing.sequence < last(of: missing.peer) { continue }
      highest[missing.peer] = (missing.sequence, knower.peer)
    }
    return highest.map { ($0.key, $0.value.0, $0.value.1) }.sorted { $0.0 < $1.0 }
  }
}
