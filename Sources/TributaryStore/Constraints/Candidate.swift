import TributaryCore

/// A living row about which the constraints have to decide. Until they do, the row is in no table.
final class Candidate {
  let identity: RowIdentity
  /// The key, in the spelling that all equal keys share.
  let key: [Value]
  /// The merged row.
  var row: [Value]
  /// The row as its table showed it; `nil` if it did not.
  let shown: [Value]?
  /// Whether the current import or commit has written the row.
  let isWritten: Bool
  /// What the row claims, by the table's unique keys.
  var claims: [(key: Int, subject: ClaimTable.Subject)] = []
  /// What the row refers to, by the table's references.
  var referred: [(reference: Int, values: [Value], subject: ClaimTable.Subject)] = []
  /// Since when the row has had these, as far as that is known.
  var sides: [ClaimTable.Subject: Conflict.Side] = [:]
  /// The constraint of the table that the row breaks because of its own values; `nil` until SQLite has
  /// refused the row.
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
