package import TributaryCore

/// A proposal of what may be forgotten. It is declared once all its members have promised it.
package struct Declaration: Hashable, Sendable {
  /// Derived from everything else; see `digest` in TributaryLog.
  package var identifier: UInt64
  /// The weight of the declaration that its proposer promised or obeyed before, plus the number of members.
  package var weight: UInt64
  /// The identities that must promise it, ascending.
  package var members: [PeerIdentity]
  /// What may be forgotten; contains everything that its transactions knew.
  package var horizon: Knowledge
  /// When the last transaction of each peer in the horizon was made.
  package var times: [PeerIdentity: HybridTime]

  /// The largest weight, which JSON numbers represent exactly. Ten thousand devices that declare every day do
  /// not reach it in a million years.
  package static let maximumWeight: UInt64 = 1 << 53 - 1

  /// Makes a proposal. The order of the members does not matter.
  package init(
    identifier: UInt64, weight: UInt64, members: some Sequence<PeerIdentity>, horizon: Knowledge,
    times: [PeerIdentity: HybridTime] = [:]
  ) {
    self.identifier = identifier
    self.weight = weight
    self.members = members.sorted()
    self.horizon = horizon
    self.times = times
  }

  /// Whether a transaction passes: it is below the horizon, or its author knew everything below the horizon.
  ///
  /// - Complexity: O(*n* log *n*) in the peers of the horizon.
  package func admits(_ transaction: Antecedents) -> Bool {
    transaction.sequence <= horizon[transaction.author]
      || transaction.knowledge.isSuperset(of: horizon)
  }

  /// Whether a store that has promised or obeys `other` may promise this (rule 6): it comes later, and its
  /// horizon contains the other's.
  package func follows(_ other: Declaration) -> Bool {
    other < self && horizon.isSuperset(of: other.horizon)
  }
}

extension Declaration: Comparable {
  /// The order of declarations (rule 10): by weight, then by identifier.
  package static func < (a: Self, b: Self) -> Bool {
    (a.weight, a.identifier) < (b.weight, b.identifier)
  }
}
