import TributaryCore

/// What a statement does besides reading and writing rows.
package enum StatementKind: Hashable, Sendable {
  case ordinary
  case begin
  case commit
  case rollback
  case savepoint(SQLName)
  case release(SQLName)
  case rollbackTo(SQLName)
  /// The statement changes tables, indexes, views or triggers.
  case schema
}
