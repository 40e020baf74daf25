import CSQLite

/// A statement that has run, and how long that took.
public struct StatementTrace: Hashable, Sendable {
  /// The statement, without the values of its parameters.
  public var sql: String
  /// The time in SQLite and between its rows.
  public var duration: Duration
  /// Whether the statement has changed nothing.
  public var isReadOnly: Bool
}

/// Calls a function with each statement that runs on a connection.
struct StatementTracer: Sendable {
  final class Body: Sendable {
    let body: @Sendable (StatementTrace) -> Void

    init(_ body: @escaping @Sendable (StatementTrace) -> Void) { self.body = body }
  }

  let body: Body

  /// Source: https://www.sqlite.org/c3ref/trace_v2.html
  func install(on connection: Connection) {
    sqlite3_trace_v2(
      connection.handle, UInt32(SQLITE_TRACE_PROFILE),
      { _, context, statement, nanoseconds in
        guard let context, let statement, let nanoseconds else { return 0 }
        let handle = OpaquePointer(statement)
        guard let sql = sqlite3_sql(handle).map({ String(cString: $0) }),
          !sql.contains("tributary_")
        else { return 0 }
        let time = nanoseconds.loadUnaligned(as: Int64.self)
        Unmanaged<Body>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.body(
            StatementTrace(
              sql: sql, duration: .nanoseconds(time), isReadOnly: sqlite3_stmt_readonly(handle) != 0
            ))
        }
        return 0
      }, Unmanaged.passUnretained(body).toOpaque())
    // The connection keeps what it calls.
    connection.cache[StatementTracer.self] = self
  }
}
