internal import TributaryCore
internal import TributaryTesting

/// All transactions of a history, by their authors.
struct RecordedHistory {
  private(set) var transactions: [PeerIdentity: [ReferenceTransaction]] = [:]

  mutating func append(_ transaction: ReferenceTransaction) {
    transactions[transaction.stamp.peer, default: []].append(transaction)
  }

  /// Removes what a lost store had not published.
  mutating func truncate(_ peer: PeerIdentity, to last: SequenceNumber) {
    transactions[peer]?.removeAll { $0.sequence > last }
  }

  /// The knowledge of all transactions.
  var knowledge: Knowledge {
    Knowledge(
      transactions.compactMap { peer, list in
        list.last.map { Knowledge.Entry(peer: peer, sequence: $0.sequence) }
      })
  }

  func known(_ knowledge: Knowledge) -> [ReferenceTransaction] {
    knowledge.entries.flatMap { entry in
      transactions[entry.peer, default: []].prefix(Int(entry.sequence.rawValue))
    }
  }

  /// Returns what a store must learn: every available transaction whose author knew nothing that is
  /// not known or available.
  ///
  /// - Parameters:
  ///   - available: returns whether a transaction has arrived.
  ///   - admits: returns whether a transaction may still be merged.
  func importable(
    from knowledge: Knowledge, available: (PeerIdentity, SequenceNumber) -> Bool,
    admits: (ReferenceTransaction) -> Bool
  ) -> Knowledge {
    var knowledge = knowledge
    var goesOn = true
    while goesOn {
      goesOn = false
      for (peer, list) in transactions {
        while knowledge[peer].rawValue < list.count {
          let next = list[Int(knowledge[peer].rawValue)]
          guard knowledge.isSuperset(of: next.knowledge), available(peer, next.sequence),
            admits(next)
          else {
            break
          }
          knowledge[peer] = next.sequence
          goesOn = true
        }
      }
    }
    return knowledge
  }
}
