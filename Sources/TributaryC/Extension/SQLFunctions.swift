import CSQLite
import TributaryCommand
import TributarySQLite

/// The functions that the extension gives to a connection.
package enum SQLFunctions {
  /// Makes them functions of a connection.
  package static func register(on connection: OpaquePointer) throws(SQLiteError) {
    for function in all { try function.register(on: connection) }
    try check(Connection.addIdentifiers(to: connection), connection)
  }

  /// Checks a result code of SQLite.
  static func check(_ code: CInt, _ connection: OpaquePointer) throws(SQLiteError) {
    guard code != SQLITE_OK else { return }
    throw SQLiteError(code: code, message: String(cString: sqlite3_errmsg(connection)), path: "")
  }

  /// More arguments than a statement can have.
  private static let any = 1000

  private static var all: [SQLFunction] {
    [
      SQLFunction("tributary_attach", 2...any) { database, arguments in
        let place = ["container", arguments[0], "name", arguments[1]]
        return try whole(Operations.attach(database.path, place + arguments.dropFirst(2)))
      },
      SQLFunction("tributary_detach", 0...any) { database, arguments in
        try Operations.detach(database.path, arguments)
        return "detached"
      },
      SQLFunction("tributary_sync", 0...any) { database, arguments in
        try whole(database.with { try Operations.synchronize($0, arguments) })
      },
      SQLFunction("tributary_status", 0...0) { database, _ in
        try database.with { try $0.status().json }
      },
      SQLFunction("tributary_digest", 0...0) { database, _ in
        try database.with { try $0.digest() }
      },
      SQLFunction("tributary_conflicts", 0...any) { database, arguments in
        try database.with { try Operations.conflicts($0, arguments) }
      },
      SQLFunction("tributary_resolve", 2...2) { database, arguments in
        try database.with { try Operations.resolve($0, arguments[0], arguments[1]) }
        return "resolved"
      },
    ]
  }

  /// Returns a report, unless there is something that must not pass unseen: SQL has no other place for it.
  private static func whole(_ result: Operations.Reported) throws -> String {
    if let failure = result.outcome.failure { throw failure }
    return result.json
  }
}

extension HostDatabase {
  /// Opens the store for one call.
  fileprivate func with<Result>(_ body: (StoreHandle) throws -> Result) throws -> Result {
    let store = try Operations.open(path)
    defer { store.close() }
    return try body(store)
  }
}
