import TributaryCore

/// What a resolution has changed.
package struct ResolverOutcome {
  package enum Effect: Sendable {
    case inserted, updated, deleted
  }

  /// The changes of the tables, by position of the table and key.
  package var changes: [(table: Int, key: [Value], effect: Effect)] = []
  /// The conflicts that were not there before.
  package var conflicts: [Conflict] = []
  /// The rows written by the present commit that are not visible now, with what they conflict with.
  package var refused: [(table: Int, row: [Value], conflict: Conflict?)] = []
  /// Whether something could not be found out without the logs, so that the resolution must be
  /// repeated with them.
  package var isIncomplete = false
}
