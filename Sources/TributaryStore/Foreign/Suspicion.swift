/// Why other programs may have written into a table while nothing captured it.
package enum Suspicion: String, Sendable, Comparable {
  /// Another program has made the table.
  case new
  /// Another program has added columns.
  case changed
  /// Another program has made the table anew, under the same name.
  case rebuilt
  /// Something was committed past the triggers, or there are none.
  case untriggered
  /// Somebody has dropped triggers.
  case dropped

  private static let order: [Suspicion] = [.new, .changed, .rebuilt, .untriggered, .dropped]

  /// Whether the other one deserves more attention.
  package static func < (one: Suspicion, other: Suspicion) -> Bool {
    guard let first = order.firstIndex(of: one), let second = order.firstIndex(of: other) else {
      return false
    }
    return first < second
  }
}

/// A table that must be compared with the logs.
struct SuspectedTable {
  var name: String
  var suspicion: Suspicion
}
