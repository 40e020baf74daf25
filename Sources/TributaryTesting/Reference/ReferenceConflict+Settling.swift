package import TributaryCore

extension ReferenceConflict {
  /// Returns the conflict in the form used by devices that have forgotten what is below a horizon: a conflict
  /// about a whole row names no transaction from before it. A row without a parent is its own winner if the
  /// parent was removed before then.
  package func settled(beneath horizon: Knowledge) -> ReferenceConflict {
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
