import TributaryCore

/// A living row about which the constraints have to decide. While they do, it is in no table.
final class Candidate {
  let identity: RowIdentity
  /// In the spelling that all equal keys share.
  let key: [Value]
  /// As merged.
  var row: [Value]
  /// As its table showed it; `nil` when it did not.
  let shown: [Value]?
  /// The import or commit at hand has written it.
  let isWritten: Bool
  /// By unique key of the table, what it claims there.
  var claims: [(key: Int, subject: ClaimTable.Subject)] = []
  /// What it refers to, by reference of the table.
  var referred: [(reference: Int, values: [Value], subject: ClaimTable.Subject)] = []
  /// Since when, as far as it is known.
  var sides: [ClaimTable.Subject: Conflict.Side] = [:]
  /// `sides` has been found out.
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
