import CSQLite
import CTributary
import Foundation
import Testing
import TributaryC
import TributarySQLite
import TributaryTesting

/// A program that has loaded the extension.
private struct Host {
  let connection: Connection

  init(_ path: String) throws {
    connection = try Connection(path: path, mode: .create)
    try SQLFunctions.register(on: connection.handle)
  }

  /// Returns the first value of a query.
  func value(_ sql: String) throws -> String {
    let statement = try connection.prepare(sql)
    guard try statement.step() else { return "" }
    defer { statement.reset() }
    return statement.string(0)
  }

  /// Returns what is wrong with a query.
  func failure(_ sql: String) throws -> String {
    try #require(#expect(throws: SQLiteError.self) { try value(sql) }).message
  }
}

struct SQLFunctionTests {
  private func withShared(_ body: (_ directory: String, _ shared: String) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let shared = directory + "/shared"
      try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
      try body(directory, shared)
    }
  }

  @Test func `a program does everything on its own connection`() throws {
    try withShared { directory, shared in
      let hosts = try ["a", "b"].map { try Host("\(directory)/\($0).db") }
      let outcomes = try hosts.map { host in
        try host.connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT)")
        let report = try host.value(
          "SELECT tributary_attach('\(shared)', 'N', 'capture', 'triggers')")
        return try object(report)["outcome"] as? String
      }
      #expect(outcomes.first == "adopted")
      try hosts[0].connection.execute("INSERT INTO t VALUES (tributary_id(), 'Blue')")
      for host in hosts {
        let report = try object(host.value("SELECT tributary_sync()"))
        #expect(report["published"] != nil)
      }
      #expect(try hosts[1].value("SELECT v FROM t") == "Blue")
      #expect(
        try hosts[0].value("SELECT tributary_digest()")
          == hosts[1].value("SELECT tributary_digest()"))
      #expect(
        try object(hosts[1].value("SELECT tributary_status()"))["name"] as? String == "N")
      #expect(try hosts[1].value("SELECT tributary_conflicts('all')") == "[]")
      #expect(
        try hosts[1].failure("SELECT tributary_resolve('0123456789abcdef', 'keep')")
          .contains("there is no conflict"))
    }
  }

  @Test func `nothing is synchronised in the middle of something else`() throws {
    try withShared { directory, shared in
      let host = try Host(directory + "/a.db")
      try host.connection.execute(
        "CREATE TABLE t (k INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)")
      _ = try host.value("SELECT tributary_attach('\(shared)', 'N')")
      try host.connection.execute("BEGIN")
      #expect(
        try host.failure("SELECT tributary_sync()")
          == "\(directory)/a.db: this connection is in a transaction; commit it or roll it back first"
      )
      try host.connection.execute("COMMIT")
      #expect(
        try host.failure("SELECT tributary_sync() FROM t").contains("is still reading"))
      try host.connection.execute(
        "CREATE TRIGGER u AFTER INSERT ON t BEGIN SELECT tributary_sync(); END")
      let unsafe = #expect(throws: SQLiteError.self) {
        try host.connection.execute("INSERT INTO t VALUES (3)")
      }
      #expect(unsafe?.message.contains("unsafe use of tributary_sync()") == true)
      try host.connection.execute("DROP TRIGGER u")
      #expect(try object(host.value("SELECT tributary_sync()"))["conflicts"] as? Int == 0)
    }
  }

  @Test
  func `attaching and detaching work on the only connection, and change no mode if they fail`()
    throws
  {
    try withShared { directory, shared in
      let hosts = try ["a", "b"].map { try Host("\(directory)/\($0).db") }
      for host in hosts {
        try host.connection.execute(
          "PRAGMA journal_mode = WAL; CREATE TABLE t (k INTEGER PRIMARY KEY)")
      }
      _ = try hosts[0].value("SELECT tributary_attach('\(shared)', 'N')")
      try hosts[0].connection.execute("INSERT INTO t VALUES (1)")
      _ = try hosts[0].value("SELECT tributary_sync()")
      #expect(try hosts[1].failure("SELECT tributary_attach('/none', 'N')").contains("/none"))
      #expect(try hosts[1].value("PRAGMA journal_mode") == "wal")
      // Where there are logs, the database is put together anew.
      _ = try hosts[1].value("SELECT tributary_attach('\(shared)', 'N')")
      #expect(try hosts[1].value("SELECT group_concat(k) FROM t") == "1")
      #expect(try hosts[1].value("SELECT tributary_detach()") == "detached")
      #expect(try hosts[1].value("SELECT group_concat(k) FROM t") == "1")
    }
  }

  @Test func `a database that is no store is refused by name`() throws {
    try withShared { directory, shared in
      let memory = try Host(":memory:")
      #expect(
        try memory.failure("SELECT tributary_status()").contains("in memory or temporary"))
      let host = try Host(directory + "/a.db")
      #expect(
        try host.failure("SELECT tributary_sync()").contains("is not attached to a container"))
      #expect(
        try host.failure("SELECT tributary_attach('\(shared)')").hasPrefix(
          "tributary_attach() was given 1 arguments; call it as tributary_attach(container, name"))
      #expect(
        try host.failure("SELECT tributary_attach('\(shared)', NULL)").hasPrefix(
          "argument 2 of tributary_attach() is not text"))
      #expect(
        try host.failure("SELECT tributary_attach('\(shared)', 'N', 'colour', 'red')").hasPrefix(
          "there is no option 'colour'"))
      #expect(
        try host.failure("SELECT tributary_attach('/none', 'N')").contains(
          "the container /none is not a directory"))
    }
  }

  @Test func `a program with an SQLite of its own is refused`() throws {
    var host = sqlite3_api_routines()
    host.malloc = { sqlite3_malloc($0) }
    host.libversion = { UnsafePointer(other) }
    let connection = try Connection(path: ":memory:", mode: .create)
    var message: UnsafeMutablePointer<CChar>?
    #expect(sqlite3_tributary_init(connection.handle, &message, &host) == SQLITE_ERROR)
    let text = try #require(message.map { String(cString: $0) })
    #expect(text.hasPrefix("this program has a copy of SQLite of its own"))
    sqlite3_free(message)
    host.libversion = { sqlite3_libversion() }
    #expect(sqlite3_tributary_init(connection.handle, &message, &host) == SQLITE_OK | 1 << 8)
    #expect(try connection.integer("SELECT tributary_id() > 0") == 1)
  }
}

/// The version of another copy.
private nonisolated(unsafe) let other = strdup("3.40.1")
