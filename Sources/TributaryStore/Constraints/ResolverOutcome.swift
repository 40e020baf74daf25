import TributaryCore

/// What a resolution has changed.
public struct ResolverOutcome {
  public enum Effect: Sendable {
    case inserted, updated, deleted
  }

  /// The tables' changes, by position of the table and key.
  public var changes: [(table: Int, key: [Value], effect: Effect)] = []
  /// Those that were not there before.
  public var conflicts: [Conflict] = []
  /// Rows written by the commit at hand that are not visible now, with what they conflict with.
  public var refused: [(table: Int, row: [Value], conflict: Conflict?)] = []
  /// Something could not be found out without the logs; to be resolved again with them.
  public var isIncomplete = false
}
