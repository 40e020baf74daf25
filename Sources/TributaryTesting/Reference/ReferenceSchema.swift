package import TributaryCore

/// The tables of a history.
package struct ReferenceSchema: Sendable {
  package var tables: [ReferenceTable]

  package init(tables: [ReferenceTable]) {
    precondition(Set(tables.map(\.name)).count == tables.count, "two tables with one name")
    self.tables = tables
  }

  /// Returns a table.
  ///
  /// - Precondition: there is a table with this name.
  package subscript(name: String) -> ReferenceTable {
    guard let table = tables.first(where: { $0.name == name }) else {
      preconditionFailure("no table \(name) in the schema")
    }
    return table
  }
}

/// A column that is not generated, and its value in a row if an insert does not give one.
package struct ReferenceColumn: Sendable {
  package var name: String

  /// The default as the column stores it: 1.0, not 1, for a REAL one.
  package var defaultValue: Value

  package var isNotNull: Bool
  package var policy: ReferencePolicy

  package init(
    _ name: String, default defaultValue: Value = .null, notNull isNotNull: Bool = false,
    policy: ReferencePolicy = .later
  ) {
    self.name = name
    self.defaultValue = defaultValue
    self.isNotNull = isNotNull
    self.policy = policy
  }
}

/// The result of an update of a column.
package enum ReferencePolicy: String, Sendable, CaseIterable {
  /// The value of the later write.
  case later
  /// The value of the later write, and the losing write is not a conflict.
  case last
  /// The sum: an update contains the amount of the change, and NULL counts as 0.
  case counter
  /// The larger or the smaller of the two; any other value rather than NULL.
  case max, min
}

/// A column of a key, primary or not, and the collation that decides when two texts in it are the
/// same key.
package struct ReferenceKeyColumn: Sendable {
  package var name: String
  package var collation: ReferenceCollation

  /// The affinity applied when other values are compared with it.
  package var affinity: ReferenceAffinity

  package init(
    _ name: String, collation: ReferenceCollation = .binary,
    affinity: ReferenceAffinity = .none
  ) {
    self.name = name
    self.collation = collation
    self.affinity = affinity
  }
}
