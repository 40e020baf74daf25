package import TributaryCore

/// A UNIQUE constraint or a unique index; not the primary key.
package struct ReferenceUniqueKey: Sendable {
  /// The key that a row claims; `nil` when it claims none.
  package typealias Claim = @Sendable (ReferenceContents.Row) -> [Value]?

  /// All columns that it looks at: those of expressions and of the WHERE of an index among them.
  package var columns: Set<String>

  /// Equal values for what SQLite takes for one key.
  package var claim: Claim

  /// A key by any expressions of a row.
  ///
  /// - Parameter claim: in the canonical spelling of the collations; `nil` when one is NULL.
  package init(of columns: Set<String>, claim: @escaping Claim) {
    self.columns = columns
    self.claim = claim
  }

  /// A key of columns.
  ///
  /// - Parameters:
  ///   - lookingAt: the columns that `condition` looks at.
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
