/// What a statement does beside reading and writing rows.
public enum StatementKind: Hashable, Sendable {
  case ordinary
  case begin
  case commit
  case rollback
  case savepoint(String)
  case release(String)
  case rollbackTo(String)
  /// Changes tables, indexes, views or triggers.
  case schema
}
