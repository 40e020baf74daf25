internal import TributaryCore
internal import TributaryLog

/// Checks that transactions, taken in order of their stamps, follow their causes, and finds what is
/// missing.
struct OrderCheck {
  /// Something that a transaction knows and that has not come yet.
  private struct Reference: Hashable {
    var peer: PeerIdentity
    var sequence: SequenceNumber
  }

  private struct Author {
    var peer: PeerIdentity
    var last = SequenceNumber.zero
    var time: HybridTime?
    var knowledge = Knowledge()
  }

  /// How a transaction contradicts those before it.
  enum Contradiction: Hashable {
    /// It is not later than the one before it of its peer.
    case order
    /// It is later than a transaction of that peer, which was made with knowledge of it.
    case cause(PeerIdentity)
  }

  private var authors: [Author] = []
  private var indices: [PeerIdentity: Int] = [:]
  /// Where the author of the last transaction is: most of the time it is that of the next one too.
  private var lastIndex: Int?
  /// Who knew of what has not come yet.
  private var expected: [Reference: Reference] = [:]

  /// Sequences of a peer that no file holds, and that later ones follow.
  private(set) var gaps: [(peer: PeerIdentity, missing: ClosedRange<SequenceNumber>)] = []

  /// Takes the next transaction.
  ///
  /// - Returns: how it contradicts those before, and the transaction that it contradicts; `nil` when it
  ///   does not.
  mutating func take(
    _ transaction: TransactionHeader, of peer: PeerIdentity
  ) -> (contradiction: Contradiction, other: SequenceNumber)? {
    let index = index(of: peer)
    let sequence = transaction.sequence
    let previous = authors[index].last
    if sequence > previous.next {
      gaps.append((peer, previous.next...SequenceNumber(sequence.rawValue - 1)))
    }
    var contradiction: (Contradiction, SequenceNumber)?
    if let time = authors[index].time, transaction.time <= time {
      contradiction = (.order, previous)
    }
    authors[index].last = sequence
    authors[index].time = transaction.time
    if !expected.isEmpty,
      let knower = expected.removeValue(forKey: Reference(peer: peer, sequence: sequence))
    {
      contradiction = (.cause(knower.peer), knower.sequence)
    }
    if transaction.knowledge != authors[index].knowledge {
      expect(transaction.knowledge, before: authors[index].knowledge, peer, sequence)
      authors[index].knowledge = transaction.knowledge
    }
    return contradiction
  }

  /// Notes what a transaction knows, its author did not know before, and has not come yet.
  private mutating func expect(
    _ knowledge: Knowledge, before: Knowledge, _ peer: PeerIdentity, _ sequence: SequenceNumber
  ) {
    // Both ascend: looking each peer up would take long where a file names very many.
    var rest = before.entries[...]
    for entry in knowledge.entries {
      while let first = rest.first, first.peer < entry.peer { rest.removeFirst() }
      if let first = rest.first, first.peer == entry.peer, first.sequence >= entry.sequence {
        continue
      }
      guard entry.sequence > last(of: entry.peer) else { continue }
      let missing = Reference(peer: entry.peer, sequence: entry.sequence)
      if expected[missing] == nil {
        expected[missing] = Reference(peer: peer, sequence: sequence)
      }
    }
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

  /// For each peer, the highest of its transactions that another one knew and that is in no file.
  ///
  /// Only to be asked when all transactions were taken.
  var unknown: [(peer: PeerIdentity, last: SequenceNumber, knower: PeerIdentity)] {
    var highest: [PeerIdentity: (SequenceNumber, PeerIdentity)] = [:]
    for (missing, knower) in expected where missing.sequence > highest[missing.peer]?.0 ?? .zero {
      // In a gap it is reported as part of that.
      if missing.sequence < last(of: missing.peer) { continue }
      highest[missing.peer] = (missing.sequence, knower.peer)
    }
    return highest.map { ($0.key, $0.value.0, $0.value.1) }.sorted { $0.0 < $1.0 }
  }
}
