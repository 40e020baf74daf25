internal import TributaryCore

/// Which conflicts devices have had, each with its identifier: the same at the same knowledge.
struct ConflictIdentifiers {
  private var seen: [Knowledge: [String]] = [:]

  /// - Throws: `HarnessFailure` when a device had others that knew the same.
  mutating func check(_ conflicts: [String], at knowledge: Knowledge) throws {
    if let before = seen[knowledge] {
      try demand(
        before == conflicts,
        "other identifiers than before:\n\(conflicts.joined(separator: "\n"))\ninstead of\n"
          + before.joined(separator: "\n"))
    }
    seen[knowledge] = conflicts
  }
}
