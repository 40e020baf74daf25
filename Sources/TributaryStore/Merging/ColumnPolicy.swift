/// What the writes of one column give together; `docs/merging.md` says exactly.
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
