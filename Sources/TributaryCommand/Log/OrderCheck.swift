import TributaryCore
import TributaryLog

/// Checks that transactions, taken in order of their stamps, follow their causes, and finds what is
/// missing.
struct OrderCheck {
  /// Something that a transaction knows and that has not come yet.
  private struct Reference: Hashable {
    var peer: PeerIdentity
    var sequence: SequenceNumber
  }

  private struct Author {
    var last = SequenceNumber.zero
    var time: HybridTime?
    var knowledge = Knowledge()
  }

  private var authors: [PeerIdentity: Author] = [:]
  /// Who knew of what has not come yet.
  private var expected: [Reference: Reference] = [:]

  /// Sequences of a peer that no file holds, and that later ones follow.
  private(set) var gaps: [(peer: PeerIdentity, missing: ClosedRange<SequenceNumber>)] = []

  /// Takes the next transaction.
  ///
  /// - Returns: how it contradicts those before; `nil` when it does not.
  mutating func take(_ transaction: TransactionHeader, of peer: PeerIdentity) -> String? {
    var author = authors.removeValue(forKey: peer) ?? Author()
    defer { authors[peer] = author }
    let sequence = transaction.sequence
    if sequence > author.last.next {
      gaps.append((peer, author.last.next...SequenceNumber(sequence.rawValue - 1)))
    }
    let previous = author.last
    author.last = sequence
    var contradiction: String?
    if let time = author.time, transaction.time <= time {
      contradiction = "transaction \(sequence) is not later than transaction \(previous)"
    }
    author.time = transaction.time
    if !expected.isEmpty,
      let knower = expected.removeValue(forKey: Reference(peer: peer, sequence: sequence))
    {
      contradiction =
        "transaction \(sequence) is later than transaction \(knower.sequence) of \(knower.peer), "
        + "which was made with knowledge of it"
    }
    if transaction.knowledge != author.knowledge {
      for entry in transaction.knowledge.entries
      where entry.sequence > author.knowledge[entry.peer] {
        if entry.sequence > (authors[entry.peer]?.last ?? .zero) {
          let missing = Reference(peer: entry.peer, sequence: entry.sequence)
          if expected[missing] == nil {
            expected[missing] = Reference(peer: peer, sequence: sequence)
          }
        }
      }
      author.knowledge = transaction.knowledge
    }
    return contradiction
  }

  /// For each peer, the highest of its transactions that another one knew and that is in no file.
  ///
  /// Only to be asked when all transactions were taken.
  var unknown: [(peer: PeerIdentity, last: SequenceNumber, knower: PeerIdentity)] {
    var highest: [PeerIdentity: (SequenceNumber, PeerIdentity)] = [:]
    for (missing, knower) in expected where missing.sequence > highest[missing.peer]?.0 ?? .zero {
      // In a gap it is reported as part of that.
      if missing.sequence < authors[missing.peer]?.last ?? .zero { continue }
      highest[missing.peer] = (missing.sequence, knower.peer)
    }
    return highest.map { ($0.key, $0.value.0, $0.value.1) }.sorted { $0.0 < $1.0 }
  }
}
