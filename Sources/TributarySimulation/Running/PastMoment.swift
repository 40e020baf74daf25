internal import TributaryCore
package import TributaryTesting

/// A moment in the past of a history, and a store's contents at that moment according to the
/// definition.
package struct PastMoment: Sendable {
  /// The kind of moment.
  package enum Kind: Sendable {
    /// The state of the author's store right after this transaction.
    case transaction(ReferenceSide)
    /// After all transactions up to this time, in milliseconds since 1970.
    case time(UInt64)
  }

  package let kind: Kind
  /// A directory with all logs.
  package let container: String
  package let schema: ReferenceSchema
  package let expected: ReferenceState
  /// The number of transactions.
  package let transactionCount: Int
}

extension Simulation {
  /// Returns some moments of a finished history.
  ///
  /// - Parameter directory: where to put the logs.
  package func pastMoments(_ count: Int, in directory: String) throws -> [PastMoment] {
    var random = SeededGenerator(seed: plan.seed ^ 0x7061_7374)
    let all = history.known(history.knowledge).sorted { $0.stamp < $1.stamp }
    guard !all.isEmpty else { return [] }
    let container = "\(directory)/logs"
    try random.pick(devices).files.disk.copy(to: container)
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
        // Sometimes a moment earlier, which may be before everything.
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
