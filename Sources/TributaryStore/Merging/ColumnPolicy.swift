/// The combined result of the writes of one column; `docs/merging.md` has the exact rules.
public enum ColumnPolicy: String, Hashable, Sendable, CaseIterable {
  /// The later write wins.
  case latest
  /// Updates add up; integers only.
  case counter
  /// The largest value wins.
  case max
  /// The smallest value wins.
  case min
}
