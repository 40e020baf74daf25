package import TributaryCore

/// A primary key in its canonical spelling: equal exactly when SQLite takes both for one key.
package struct ReferenceKey: Hashable, Sendable {
  // Made by `ReferenceTable.canonical` alone, which knows the canonical spelling.
  package let values: [Value]
}

extension ReferenceKey: CustomStringConvertible {
  package var description: String {
    "(" + values.map(\.literal).joined(separator: ", ") + ")"
  }
}

/// Some order that is the same in every run, so that a seed means one history.
extension ReferenceKey: Comparable {
  package static func < (a: ReferenceKey, b: ReferenceKey) -> Bool {
    a.description < b.description
  }
}

/// A row of one table, living or dead.
package struct ReferenceRowIdentity: Hashable, Sendable {
  package var table: String
  package var key: ReferenceKey

  package init(table: String, key: ReferenceKey) {
    self.table = table
    self.key = key
  }
}
