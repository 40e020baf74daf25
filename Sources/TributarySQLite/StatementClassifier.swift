import CSQLite
import TributaryCore

/// Learns from SQLite's authorizer what a statement does while it is being prepared, so that this library
/// need not parse SQL.
///
/// Source: https://www.sqlite.org/c3ref/set_authorizer.html
package final class StatementClassifier {
  /// The kind of the statement that was prepared last.
  package internal(set) var kind = StatementKind.ordinary

  /// While true, writing tables whose name starts with `tributary_` is refused.
  package var protectsBookkeeping = false

  /// While true, pragmas that would let a write break the store's guarantees have no effect.
  package var keepsPromises = false

  /// The prefix of the names of triggers whose insertions have no effect on this connection.
  package var ignoredTriggers: String?

  /// While true, other databases can be neither attached nor detached.
  package var keepsOut = false

  /// While true, a foreign key to a table that does not exist does not keep a statement from being compiled:
  /// foreign keys are switched off for it.
  package var passesOverAbsentParents = false

  /// Whether a pragma may have changed how the connection works.
  package var hasSettings = false

  /// Why the statement was refused; `nil` if it was not, or if SQLite alone refused it.
  package internal(set) var refusal: String?

  /// The tables that the statements prepared since it was set read; `nil` if they are not recorded.
  package var reads: Set<SQLName>?

  /// The running statements of the application; `nil` if they are not traced.
  package var traced: Set<OpaquePointer>?

  func reset() {
    kind = .ordinary
    refusal = nil
  }

  fileprivate func authorize(
    _ action: Int32, _ first: String?, _ second: String?, in trigger: UnsafePointer<CChar>?
  ) -> Int32 {
    // The insertions compile to nothing.
    if action == SQLITE_INSERT, let trigger, let ignoredTriggers,
      SQLName(String(cString: trigger)).hasPrefix(ignoredTriggers)
    {
      return SQLITE_IGNORE
    }
    switch action {
    case SQLITE_READ:
      if reads != nil, let first { reads?.insert(SQLName(first)) }
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
    case SQLITE_PRAGMA: return authorize(pragma: first, argument: second)
    case SQLITE_ATTACH, SQLITE_DETACH:
      guard keepsOut else { break }
      refusal = "other databases cannot be attached or detached in a read"
      return SQLITE_DENY
    default: break
    }
    return SQLITE_OK
  }

  private func authorize(pragma: String?, argument: String?) -> Int32 {
    guard let pragma, argument != nil else { return SQLITE_OK }
    let name = SQLName(pragma)
    // The ignored pragma becomes a statement that does nothing.
    if keepsPromises, Self.breaking.contains(name) { return SQLITE_IGNORE }
    if !Self.asking.contains(name) { hasSettings = true }
    return SQLITE_OK
  }

  /// Pragmas that would allow rows that break a CHECK, change the schema behind SQLite's back, or turn
  /// reading into writing.
  private static let breaking: Set<SQLName> = [
    "ignore_check_constraints", "query_only", "writable_schema",
  ]

  /// Pragmas that take an argument and only report something.
  private static let asking: Set<SQLName> = [
    "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo",
    "integrity_check", "quick_check", "table_info", "table_list", "table_xinfo",
  ]

  private func protect(_ table: String?) -> Int32 {
    guard protectsBookkeeping, let table, SQLName(table).hasPrefix("tributary_") else {
      return SQLITE_OK
    }
    refusal = "\(table) is bookkeeping of Tributary and may not be changed"
    return SQLITE_DENY
  }
}

extension Connection {
  /// Installs a classifier that classifies every statement while it is prepared.
  func install(_ classifier: StatementClassifier) {
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, _, trigger in
        guard let context else { return SQLITE_OK }
        return Unmanaged<StatementClassifier>.fromOpaque(context).takeUnretainedValue().authorize(
          action, first.map { String(cString: $0) }, second.map { String(cString: $0) }, in: trigger
        )
      }, Unmanaged.passUnretained(classifier).toOpaque())
  }
}
