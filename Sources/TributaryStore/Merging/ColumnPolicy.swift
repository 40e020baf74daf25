/// How the writes of one column combine; `docs/merging.md` has the exact rules.
public enum ColumnPolicy: String, Hashable, Sendable, CaseIterable {
  /// The later write wins.
  case latest
  /// The later write wins, and a write that loses is not a conflict: for settings, where only the last one
  /// counts.
  case last
  /// Updates add up; integers only.
  case counter
  /// The largest value wins.
  case max
  /// The smallest value wins.
  case min

  /// Whether the later write wins.
  package var takesLatest: Bool { self == .latest || self == .last }
}
