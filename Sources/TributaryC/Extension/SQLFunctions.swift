import CSQLite
import TributaryCommand
import TributarySQLite
import TributaryStore

/// The functions that the extension gives to a connection.
package enum SQLFunctions {
  /// Registers the functions with a connection.
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
      SQLFunction("tributary_attach", "container, name, option, …", 2...any) {
        database, arguments in
        let options = ["container", arguments[0], "name", arguments[1]] + arguments.dropFirst(2)
        func attach() throws -> String { try whole(Operations.attach(database.path, options)) }
        return try LocalStore.isAttached(at: database.path) ? attach() : database.lending(attach)
      },
      SQLFunction("tributary_detach", "option, …", 0...any) { database, arguments in
        try database.lending { try Operations.detach(database.path, arguments) }
        return "detached"
      },
      SQLFunction("tributary_sync", "option, …", 0...any) { database, arguments in
        try whole(database.withStore { try Operations.synchronize($0, arguments) })
      },
      SQLFunction("tributary_status", "", 0...0) { database, _ in
        try database.withStore { try $0.status().json }
      },
      SQLFunction("tributary_digest", "", 0...0) { database, _ in
        try database.withStore { try $0.digest() }
      },
      SQLFunction("tributary_conflicts", "option, …", 0...any) { database, arguments in
        try database.withStore { try Operations.conflicts($0, arguments) }
      },
      SQLFunction("tributary_resolve", "conflict, resolution", 2...2) { database, arguments in
        try database.withStore { try Operations.resolve($0, arguments[0], arguments[1]) }
        return "resolved"
      },
    ]
  }

  /// Returns a report. Throws if there is a problem that must not go unnoticed, since SQL has no other way to
  /// report it.
  private static func whole(_ result: Operations.Reported) throws -> String {
    if let failure = result.outcome.failure { throw failure }
    return result.json
  }
}
