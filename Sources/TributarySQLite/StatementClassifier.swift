import CSQLite
import TributaryCore

/// Learns from SQLite's authorizer what the statement being prepared does, so that nothing has to
/// parse SQL.
///
/// Source: https://www.sqlite.org/c3ref/set_authorizer.html
public final class StatementClassifier {
  /// The kind of the statement prepared last.
  public internal(set) var kind = StatementKind.ordinary

  /// While true, writing tables whose name starts with `tributary_` is refused.
  public var protectsBookkeeping = false

  /// The bookkeeping table that a refused statement would have written.
  public internal(set) var refused: String?

  func reset() {
    kind = .ordinary
    refused = nil
  }

  fileprivate func authorize(_ action: Int32, _ first: String?, _ second: String?) -> Int32 {
    switch action {
    case SQLITE_TRANSACTION:
      kind = first == "BEGIN" ? .begin : first == "COMMIT" ? .commit : .rollback
    case SQLITE_SAVEPOINT:
      let name = SQLName(second ?? "")
      kind =
        first == "BEGIN"
        ? .savepoint(name) : first == "RELEASE" ? .release(name) : .rollbackTo(name)
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      return protect(first)
    case SQLITE_CREATE_INDEX, SQLITE_DROP_INDEX, SQLITE_CREATE_TRIGGER, SQLITE_DROP_TRIGGER:
      kind = .schema
      return protect(second)
    case SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE, SQLITE_CREATE_VIEW, SQLITE_DROP_VIEW,
      SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
      kind = .schema
      return protect(first)
    case SQLITE_ALTER_TABLE:
      kind = .schema
      return protect(second)
    default: break
    }
    return SQLITE_OK
  }

  private func protect(_ table: String?) -> Int32 {
    guard protectsBookkeeping, let table, SQLName(table).hasPrefix("tributary_") else {
      return SQLITE_OK
    }
    refused = table
    return SQLITE_DENY
  }
}

extension Connection {
  /// Has every statement classified while it is prepared.
  func install(_ classifier: StatementClassifier) {
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, _, _ in
        guard let context else { return SQLITE_OK }
        return Unmanaged<StatementClassifier>.fromOpaque(context).takeUnretainedValue().authorize(
          action, first.map { String(cString: $0) }, second.map { String(cString: $0) })
      }, Unmanaged.passUnretained(classifier).toOpaque())
  }
}
