import TributaryCore

/// What a resolution has changed.
package struct ResolverOutcome {
  package enum Effect: Sendable {
    case inserted, updated, deleted
  }

  /// The changes of the tables, each with the position of the table and the key.
  package var changes: [(table: Int, key: [Value], effect: Effect)] = []
  /// The conflicts that were not there before.
  package var conflicts: [Conflict] = []
  /// The rows written by the current commit that are not visible now, with the conflict of each.
  package var refused: [(table: Int, row: [Value], conflict: Conflict?)] = []
  /// Whether something could not be determined without the logs, so that the resolution must be repeated with
  /// them.
  package var isIncomplete = false
}
