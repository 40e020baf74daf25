import TributaryCore
import TributarySQLite

/// Rows that break a constraint of their table by their values alone: one that the authors' schemas did not have.
extension Conflict.Kind {
  /// Makes the kind for a constraint that such a row has broken; `nil` for any other constraint.
  init?(_ constraint: SQLiteError.Constraint?) {
    switch constraint?.kind {
    case .check: self = .check
    case .notNull: self = .notNull
    case .dataType: self = .type
    default: return nil
    }
  }
}

extension SQLiteError {
  /// Whether a row that was written to a table breaks a constraint of that table by its values alone.
  ///
  /// A NOT NULL of another table is broken by a trigger of the application, which is no matter of the row.
  package func breaks(_ table: TableDescription) -> Bool {
    guard let constraint, Conflict.Kind(constraint) != nil else { return false }
    guard constraint.kind == .notNull, let name = constraint.names.first else { return true }
    return SQLName(name).hasPrefix(table.name + ".")
  }
}
