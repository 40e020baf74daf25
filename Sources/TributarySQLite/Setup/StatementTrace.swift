import CSQLite

/// A statement that has run, and how long that took.
public struct StatementTrace: Hashable, Sendable {
  /// The statement, without the values of its parameters.
  public var sql: String
  /// The time spent in SQLite and between the rows.
  public var duration: Duration
  /// Whether the statement has changed nothing.
  public var isReadOnly: Bool
}

/// Calls a function with each statement of the application that runs on a connection, and with the statements
/// that begin and end its transactions.
struct StatementTracer: Sendable {
  let body: @Sendable (StatementTrace) -> Void

  /// Source: https://www.sqlite.org/c3ref/trace_v2.html
  func install(on connection: Connection) {
    guard let classifier = connection.classifier else { return }
    classifier.traced = []
    let traced = TracedConnection(body, classifier)
    sqlite3_trace_v2(
      connection.handle, UInt32(SQLITE_TRACE_PROFILE),
      { _, context, statement, nanoseconds in
        if let context, let statement, let nanoseconds {
          let traced = Unmanaged<TracedConnection>.fromOpaque(context).takeUnretainedValue()
          traced.tell(
            OpaquePointer(statement), nanoseconds: nanoseconds.loadUnaligned(as: Int64.self))
        }
        return 0
      }, Unmanaged.passUnretained(traced).toOpaque())
    // The connection keeps the object that it calls alive.
    connection.cache[TracedConnection.self] = traced
  }
}

/// The context that SQLite passes back with each statement that has run on a connection.
///
/// The unchecked Sendable conformance is safe: only the thread that uses the connection uses it.
final class TracedConnection: @unchecked Sendable {
  private let body: @Sendable (StatementTrace) -> Void
  private let classifier: StatementClassifier

  init(_ body: @escaping @Sendable (StatementTrace) -> Void, _ classifier: StatementClassifier) {
    self.body = body
    self.classifier = classifier
  }

  fileprivate func tell(_ handle: OpaquePointer, nanoseconds: Int64) {
    guard let text = sqlite3_sql(handle) else { return }
    let sql = String(cString: text)
    let isOwn = classifier.traced?.contains(handle) ?? false
    guard isOwn || sql.hasPrefix("BEGIN") || sql == "COMMIT" || sql == "ROLLBACK" else { return }
    body(
      StatementTrace(
        sql: sql, duration: .nanoseconds(nanoseconds),
        isReadOnly: sqlite3_stmt_readonly(handle) != 0))
  }
}
