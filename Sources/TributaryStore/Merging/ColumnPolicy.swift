/// The combined result of the writes of one column; `docs/merging.md` has the exact rules.
public enum ColumnPolicy: String, Hashable, Sendable, CaseIterable {
  /// The later write wins.
  case latest
  /// The later write wins, and what loses is no conflict: for settings, of which only the last one counts.
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
