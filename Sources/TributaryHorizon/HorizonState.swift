package import TributaryCore

/// What a store must remember about its own promises, in the transaction in which it makes them.
package struct HorizonState: Hashable, Sendable {
  /// The declaration that it obeys. It is declared, and everything that the store has passes it.
  package internal(set) var obeyed: Declaration?
  /// What it has promised since and does not know to be declared; each follows the one before it.
  package internal(set) var promises: [Declaration] = []
  /// Its promises since then that other members can never give, by identifier. It never gives them again.
  package internal(set) var dropped: Set<UInt64> = []

  package init() {}

  /// Restores a remembered state.
  ///
  /// - Parameter promises: the promises, in order.
  package init(obeyed: Declaration?, promises: [Declaration], dropped: Set<UInt64>) {
    self.obeyed = obeyed
    self.promises = promises
    self.dropped = dropped
  }

  /// The last declaration that it has promised, or else the one that it obeys.
  package var last: Declaration? { promises.last ?? obeyed }

  /// Whether the store may import a transaction (rule 7). If the store does not have the transaction yet and
  /// it passes the last declaration, it passes all earlier ones too.
  package func admits(_ transaction: Antecedents) -> Bool { last?.admits(transaction) ?? true }

  /// Obeys the last of its promises that is declared (rule 8).
  ///
  /// - Returns: whether it now obeys a different declaration, so that it may forget what is below its horizon
  ///   (rule 9).
  package mutating func obeyDeclared(_ facts: HorizonFacts) -> Bool {
    guard let index = promises.lastIndex(where: facts.isDeclared) else { return false }
    obeyed = promises[index]
    promises.removeSubrange(...index)
    dropped = []
    return true
  }

  /// Drops promises that other members can never give (rule 7): a member has made or imported a transaction
  /// that does not pass.
  ///
  /// - Parameters:
  ///   - transaction: a transaction that this store has seen, and may not have imported.
  ///   - isHeld: whether an identity has made or imported it, according to its own statements.
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
