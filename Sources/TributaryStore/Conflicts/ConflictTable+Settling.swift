import TributaryCore
import TributaryLog
import TributarySQLite

extension ConflictTable {
  /// Names conflicts about whole rows as all devices do that have forgotten what lies beneath a horizon: a row has
  /// had its key, or lacked its parent, since before the horizon. Their identifiers change with that.
  ///
  /// - Complexity: O(open conflicts).
  package func settle(beneath horizon: Knowledge) throws {
    for (conflict, row) in try openConflictsOfRows() {
      var settled = conflict
      settled.winner = conflict.winner.settled(beneath: horizon)
      settled.loser = conflict.loser.settled(beneath: horizon)
      if settled == conflict { continue }
      settled.id = Conflict.identifier(
        table: conflict.table, key: row, kind: conflict.kind, loser: settled.loser,
        columns: conflict.isHeld ? [] : conflict.values.map(\.column))
      try remove(conflict, row: row)
      try put(settled, row: row)
    }
  }
}
