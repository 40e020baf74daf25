import TributaryCore

/// What a statement does beside reading and writing rows.
public enum StatementKind: Hashable, Sendable {
  case ordinary
  case begin
  case commit
  case rollback
  case savepoint(SQLName)
  case release(SQLName)
  case rollbackTo(SQLName)
  /// Changes tables, indexes, views or triggers.
  case schema
}
