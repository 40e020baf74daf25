import TributaryCore
import TributarySQLite

/// Rows that break a constraint of their table because of their own values: one that the authors' schemas did
/// not have.
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
  /// Whether a row that was written to a table breaks a constraint of that table because of its own values.
  ///
  /// If the NOT NULL constraint of another table is broken, a trigger of the application has broken it, and
  /// the row is not at fault.
  package func breaks(_ table: TableDescription) -> Bool {
    guard let constraint, Conflict.Kind(constraint) != nil else { return false }
    guard constraint.kind == .notNull, let name = constraint.names.first else { return true }
    return SQLName(name).hasPrefix(table.name + ".")
  }
}
