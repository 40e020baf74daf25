internal import TributaryCore
internal import TributaryTesting

/// The conflicts that devices have had, with their identifiers. Both must be the same for the same
/// knowledge.
struct ConflictIdentifiers {
  private var seen: [[Knowledge]: [String]] = [:]

  /// Checks a device's conflicts.
  ///
  /// - Throws: `HarnessFailure` if a device with the same knowledge had others.
  mutating func check(
    _ conflicts: [String], at knowledge: Knowledge, _ settled: Knowledge = Knowledge()
  ) throws {
    if let before = seen[[knowledge, settled]] {
      try demand(
        before == conflicts,
        "other identifiers than before:\n\(conflicts.joined(separator: "\n"))\ninstead of\n"
          + before.joined(separator: "\n"))
    }
    seen[[knowledge, settled]] = conflicts
  }
}
