package import TributaryCore

/// A UNIQUE constraint or a unique index; not the primary key.
package struct ReferenceUniqueKey: Sendable {
  /// Returns the key that a row claims; `nil` if it claims none.
  package typealias Claim = @Sendable (ReferenceContents.Row) -> [Value]?

  /// All columns on which it depends, including those of expressions and of the WHERE of an index.
  package var columns: Set<String>

  /// Returns equal values for what SQLite considers the same key.
  package var claim: Claim

  /// Makes a key from any expressions of a row.
  ///
  /// - Parameter claim: returns the key in the canonical spelling of the collations; `nil` if a
  ///   value is NULL.
  package init(of columns: Set<String>, claim: @escaping Claim) {
    self.columns = columns
    self.claim = claim
  }

  /// Makes a key from columns.
  ///
  /// - Parameters:
  ///   - lookingAt: the columns on which `condition` depends.
  ///   - condition: the WHERE of a partial index.
  package init(
    _ parts: [ReferenceKeyColumn], lookingAt others: Set<String> = [],
    where condition: @escaping @Sendable (ReferenceContents.Row) -> Bool = { _ in true }
  ) {
    self.init(of: others.union(parts.map(\.name))) { row in
      let values = parts.map { $0.collation.canonical(row[$0.name]!) }
      return values.contains(.null) || !condition(row) ? nil : values
    }
  }
}
