import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What a transaction that has changed nothing concludes about the commits of other programs.
struct UnchangingTransactionTests {
  private static let script = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, x);
    CREATE TABLE own (x);
    INSERT INTO t VALUES (1, 1);
    """

  private func withStore(
    _ body: (_ path: String, Connection, ForeignCapture) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try devices.attach("a", Self.script, tables: .except(["own"]))
      try devices.withOwnConnection(to: "a") { connection in
        try body(devices.path("a"), connection, ForeignCapture(connection))
      }
    }
  }

  @Test func `one that was rolled back vouches for nothing`() throws {
    try withStore { path, connection, capture in
      let other = try Connection(path: path, mode: .readWrite)
      try other.execute("UPDATE t SET x = 2")
      other.close()
      // A commit that follows, and after which no other program commits.
      try connection.immediate { try connection.execute("INSERT INTO own VALUES (1)") }
      try connection.beginImmediate()
      try capture.vouch()
      #expect(try !capture.isDue())
      connection.rollBack()
      let isDue = try connection.immediate { try capture.isDue() }
      #expect(isDue)
    }
  }

  @Test func `one that leaves no mark in the log leaves no doubt`() throws {
    try withStore { _, connection, capture in
      try connection.execute("CREATE TEMP TABLE aside (x)")
      try connection.immediate { try connection.execute("INSERT INTO own VALUES (1)") }
      try CommitSeal(connection).set()
      try connection.immediate { try connection.execute("INSERT INTO aside VALUES (1)") }
      let isDue = try connection.immediate { try capture.isDue() }
      #expect(!isDue)
    }
  }
}
