package import TributaryCore

/// A primary key in its canonical spelling: two are equal exactly when SQLite considers them the
/// same key.
package struct ReferenceKey: Hashable, Sendable {
  // Only made by `ReferenceTable.canonical`, which knows the canonical spelling.
  package let values: [Value]
}

extension ReferenceKey: CustomStringConvertible {
  package var description: String {
    "(" + values.map(\.literal).joined(separator: ", ") + ")"
  }
}

/// SQLite's order, column by column.
extension ReferenceKey: Comparable {
  package static func < (a: ReferenceKey, b: ReferenceKey) -> Bool {
    for (mine, other) in zip(a.values, b.values) where mine != other {
      return mine.precedes(other)
    }
    return a.values.count < b.values.count
  }
}

/// A row of one table, living or dead; ordered by the tables' names and the keys.
package struct ReferenceRowIdentity: Hashable, Sendable {
  package var table: String
  package var key: ReferenceKey

  package init(table: String, key: ReferenceKey) {
    self.table = table
    self.key = key
  }
}

extension ReferenceRowIdentity: Comparable {
  package static func < (a: ReferenceRowIdentity, b: ReferenceRowIdentity) -> Bool {
    // By bytes, as SQLite does.
    a.table == b.table ? a.key < b.key : a.table.utf8.lexicographicallyPrecedes(b.table.utf8)
  }
}

extension ReferenceRowIdentity: CustomStringConvertible {
  package var description: String { "\(table) \(key)" }
}
