package import TributaryCore

extension HorizonState {
  /// Promises a declaration if the rules allow it (rule 6).
  ///
  /// - Parameters:
  ///   - own: the store's current identity.
  ///   - imported: everything that the store has imported and made.
  ///   - beyond: the transactions that the store has and the horizon lacks.
  /// - Returns: why the store does not promise; `nil` if it has promised. The caller publishes a promise only
  ///   once it is durable.
  package mutating func promise(
    _ declaration: Declaration, as own: PeerIdentity, having imported: Knowledge,
    beyond: some Sequence<Antecedents>
  ) -> PromiseRefusal? {
    if promises.contains(declaration) || declaration == obeyed { return .promised }
    if dropped.contains(declaration.identifier) { return .void }
    if !declaration.members.contains(own) { return .notMember }
    if let last, !declaration.follows(last) { return .doesNotFollow(last) }
    if let missing = imported.firstMissing(from: declaration.horizon) { return .lacks(missing) }
    for transaction in beyond where !declaration.admits(transaction) {
      return .notQuiet(transaction)
    }
    promises.append(declaration)
    return nil
  }

  /// Returns a proposal that this store itself may promise, if there is one that all members may promise
  /// according to their receipts.
  ///
  /// - Parameters:
  ///   - members: active and silent peers, this store included.
  ///   - horizon: the latest quiet horizon of their receipts; see `QuietHorizon`.
  ///   - times: when the last transaction of each peer in the horizon was made.
  ///   - identify: gives the proposal its identifier.
  /// - Complexity: O(*n*) in the members and the peers of the horizon.
  package func proposal(
    members: some Collection<PeerIdentity>, horizon: Knowledge,
    times: [PeerIdentity: HybridTime] = [:], identify: (Declaration) -> UInt64
  ) -> Declaration? {
    if let last, !horizon.isSuperset(of: last.horizon) { return nil }
    if horizon.isEmpty { return nil }
    let weight = (last?.weight ?? 0) + UInt64(members.count)
    guard weight <= Declaration.maximumWeight else { return nil }
    var declaration = Declaration(
      identifier: 0, weight: weight, members: members,
      horizon: horizon, times: times)
    if let last, last.horizon == horizon, last.members == declaration.members { return nil }
    declaration.identifier = identify(declaration)
    return declaration
  }
}
