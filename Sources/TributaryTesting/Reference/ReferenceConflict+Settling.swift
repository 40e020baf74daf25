internal import TributaryCore

extension ReferenceConflict {
  /// Returns the conflict as devices name it that have forgotten what lies beneath a horizon: one about a whole row
  /// names no transaction of that time. A row without a parent is its own winner if the parent went before.
  func settled(beneath horizon: Knowledge) -> ReferenceConflict {
    guard kind == .unique || kind == .foreignKey else { return self }
    var conflict = self
    conflict.winner = winner.settled(beneath: horizon)
    conflict.loser = loser.settled(beneath: horizon)
    if kind == .foreignKey, winner.sequence <= horizon[winner.peer] {
      conflict.winner = conflict.loser
    }
    return conflict
  }
}

extension ReferenceSide {
  fileprivate func settled(beneath horizon: Knowledge) -> ReferenceSide {
    guard sequence <= horizon[peer] else { return self }
    return ReferenceSide(
      peer: PeerIdentity(high: 0, low: 0), sequence: .zero, time: .zero)
  }
}
