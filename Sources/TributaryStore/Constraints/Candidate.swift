import TributaryCore

/// A living row about which the constraints have to decide. Meanwhile, the row is in no table.
final class Candidate {
  let identity: RowIdentity
  /// The key, in the spelling that all equal keys share.
  let key: [Value]
  /// The merged row.
  var row: [Value]
  /// The row as its table showed it; `nil` if it did not.
  let shown: [Value]?
  /// Whether the present import or commit has written the row.
  let isWritten: Bool
  /// What the row claims, by unique key of the table.
  var claims: [(key: Int, subject: ClaimTable.Subject)] = []
  /// What the row refers to, by reference of the table.
  var referred: [(reference: Int, values: [Value], subject: ClaimTable.Subject)] = []
  /// Since when the row has these, as far as it is known.
  var sides: [ClaimTable.Subject: Conflict.Side] = [:]
  /// The constraint of the table that the row breaks by its values alone; `nil` until SQLite has refused the row.
  var broken: Conflict.Kind?
  /// Whether `sides` is known.
  var isComplete = false

  init(
    identity: RowIdentity, key: [Value], row: [Value], shown: [Value]?, isWritten: Bool
  ) {
    self.identity = identity
    self.key = key
    self.row = row
    self.shown = shown
    self.isWritten = isWritten
  }
}
