internal import TributaryCore

/// A moment in the past of a history, and what a store had then by definition.
package struct PastMoment: Sendable {
  /// What is meant by it.
  package enum Kind: Sendable {
    /// As its author's store was right after this transaction.
    case transaction(ReferenceSide)
    /// After all transactions up to this time, in milliseconds since 1970.
    case time(UInt64)
  }

  package let kind: Kind
  /// A directory with all logs.
  package let container: String
  package let schema: ReferenceSchema
  package let expected: ReferenceState
  /// How many transactions there were.
  package let transactionCount: Int
}

extension HistoryHarness {
  /// Some moments of a history that has come to its end.
  package mutating func pastMoments(_ count: Int) -> [PastMoment] {
    let all = history.known(history.knowledge).sorted { $0.stamp < $1.stamp }
    guard !all.isEmpty else { return [] }
    let container = random.pick(devices).container
    return (0..<count).map { _ in
      let transaction = random.pick(all)
      let kind: PastMoment.Kind
      let known: [ReferenceTransaction]
      if random.once(in: 2) {
        var knowledge = transaction.knowledge
        knowledge[transaction.stamp.peer] = transaction.sequence
        kind = .transaction(transaction.identity)
        known = history.known(knowledge)
      } else {
        // Also a moment before, and so perhaps before everything.
        let time = transaction.stamp.time.milliseconds - (random.once(in: 4) ? 1 : 0)
        kind = .time(time)
        known = all.filter { $0.stamp.time.milliseconds <= time }
      }
      return PastMoment(
        kind: kind, container: container, schema: generator.schema,
        expected: expected(of: known), transactionCount: known.count)
    }
  }
}
