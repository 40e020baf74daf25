/// Why other programs may have written into a table without being captured, with the least alarming reason
/// first.
package enum Suspicion: String, Sendable, Comparable, CaseIterable {
  /// Another program has made the table.
  case new
  /// Another program has added columns.
  case changed
  /// Another program has rebuilt the table, under the same name.
  case rebuilt
  /// Rows had NULL in their key; what happened to the keys that they had before is not recorded.
  case keyless
  /// Something was committed past the triggers, or there are no triggers.
  case untriggered
  /// Another program has dropped triggers.
  case dropped

  private var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// Whether the second one deserves more attention.
  package static func < (one: Suspicion, other: Suspicion) -> Bool {
    one.position < other.position
  }
}

/// A table that must be compared with the logs.
struct SuspectedTable {
  var name: String
  var suspicion: Suspicion
}
