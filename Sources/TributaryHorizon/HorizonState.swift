package import TributaryCore

/// What a store must remember of its own promises, in the transaction in which it makes them.
package struct HorizonState: Hashable, Sendable {
  /// The declaration that it obeys: declared, and all that the store has passes it.
  package internal(set) var obeyed: Declaration?
  /// What it has promised since and does not know to be declared; each follows the one before it.
  package internal(set) var promises: [Declaration] = []
  /// Promises since then that others can never give, by identifier: it gives none of them again.
  package internal(set) var dropped: Set<UInt64> = []

  package init() {}

  /// Remembers what was remembered.
  ///
  /// - Parameter promises: in their order.
  package init(obeyed: Declaration?, promises: [Declaration], dropped: Set<UInt64>) {
    self.obeyed = obeyed
    self.promises = promises
    self.dropped = dropped
  }

  /// The last declaration that it has promised, otherwise the one that it obeys.
  package var last: Declaration? { promises.last ?? obeyed }

  /// Whether the store may import a transaction (rule 7). What passes the last declaration passes all before
  /// it, of what the store does not have already.
  package func admits(_ transaction: Antecedents) -> Bool { last?.admits(transaction) ?? true }

  /// Obeys the last of its promises that is declared (rule 8).
  ///
  /// - Returns: whether it obeys another one now, so that it may forget what lies beneath (rule 9).
  package mutating func obeyDeclared(_ facts: HorizonFacts) -> Bool {
    guard let index = promises.lastIndex(where: facts.isDeclared) else { return false }
    obeyed = promises[index]
    promises.removeSubrange(...index)
    dropped = []
    return true
  }

  /// Drops promises which others can never give (rule 7): a member has made or imported what does not pass.
  ///
  /// - Parameters:
  ///   - transaction: one that this store has seen and may not have imported.
  ///   - isHeld: whether an identity has made or imported it, by its own word.
  /// - Returns: whether one was dropped.
  package mutating func dropVoid(
    _ transaction: Antecedents, isHeld: (PeerIdentity) -> Bool
  ) -> Bool {
    let void = promises.filter { promise in
      !promise.admits(transaction)
        && promise.members.contains { $0 == transaction.author || isHeld($0) }
    }
    promises.removeAll(where: void.contains)
    dropped.formUnion(void.map(\.identifier))
    return !void.isEmpty
  }
}
