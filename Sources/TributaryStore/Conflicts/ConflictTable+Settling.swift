import TributaryCore
import TributaryLog
import TributarySQLite

extension ConflictTable {
  /// Names conflicts about whole rows as all devices do that have forgotten what lies below a horizon: a row
  /// has had its key, or lacked its parent, since before the horizon. This changes the identifiers of the
  /// conflicts.
  ///
  /// - Complexity: O(open conflicts).
  package func settle(beneath horizon: Knowledge) throws {
    let names = try NameChanges(connection)
    for (conflict, row) in try openConflictsOfRows() {
      var settled = conflict
      (settled.winner, settled.loser) = conflict.kind.sides(
        winner: conflict.winner, loser: conflict.loser, settledBeneath: horizon)
      if settled == conflict { continue }
      settled.id = Conflict.identifier(
        table: names.origin(ofTable: conflict.table), key: row, kind: conflict.kind,
        loser: settled.loser,
        columns: conflict.isHeld ? [] : conflict.values.map(\.column))
      try remove(conflict, row: row)
      try put(settled, row: row)
    }
  }
}

extension Conflict.Kind {
  /// Returns the sides of a conflict about a whole row as devices name them once they have forgotten what
  /// lies below a horizon.
  ///
  /// No device can tell any more whether a parent was removed before the horizon or never existed. So a row
  /// that has come to refer to it since then is its own winner, as if the parent had never existed.
  func sides(
    winner: Conflict.Side, loser: Conflict.Side, settledBeneath horizon: Knowledge
  ) -> (winner: Conflict.Side, loser: Conflict.Side) {
    // Without a horizon, the earliest side is one that is not known yet.
    if horizon.isEmpty { return (winner, loser) }
    let loser = loser.settled(beneath: horizon)
    let winner = winner.settled(beneath: horizon)
    return (self == .foreignKey && winner == .earliest ? loser : winner, loser)
  }
}
