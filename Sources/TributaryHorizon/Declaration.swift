package import TributaryCore

/// A proposal of what may be forgotten; declared once all its members have promised it.
package struct Declaration: Hashable, Sendable {
  /// Follows from everything else: see `digest` in TributaryLog.
  package var identifier: UInt64
  /// Larger than that of the declaration which its proposer promised or obeyed before, by the number of members.
  package var weight: UInt64
  /// The identities that must promise it, ascending.
  package var members: [PeerIdentity]
  /// What may be forgotten; contains whatever its transactions knew.
  package var horizon: Knowledge
  /// When the last transaction of each peer in the horizon was made.
  package var times: [PeerIdentity: HybridTime]

  /// The largest weight, which numbers in JSON keep exactly. Ten thousand devices that declare every day do not
  /// reach it in a million years.
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

  /// Whether a transaction passes: it lies beneath the horizon, or its author knew all of that.
  ///
  /// - Complexity: O(*n* log *n*) in the peers of the horizon.
  package func admits(_ transaction: Antecedents) -> Bool {
    transaction.sequence <= horizon[transaction.author]
      || transaction.knowledge.isSuperset(of: horizon)
  }

  /// Whether a store that has promised or obeys `other` may promise this (rule 6): it comes later, and its horizon
  /// contains that of the other.
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
