import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Databases that join devices whose tables have more than theirs.
struct JoiningFollowingTests {
  private static let table = "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT)"

  @Test func `a database that joins has what it lacks when it is attached`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.openFollowing("a", Self.table)
      try a.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
      try a.exchange()
      let before = try devices.openFollowing("b")
      try before.execute("DELETE FROM t WHERE k = 2")
      try exchange(a, before)
      try a.execute("CREATE TABLE u (k INTEGER PRIMARY KEY, x); ALTER TABLE t ADD COLUMN w")
      try a.execute("INSERT INTO u VALUES (1, 'u'); UPDATE t SET w = 'w'")
      try a.exchange()
      let connection = try Connection(path: devices.path("c"), mode: .create)
      try connection.execute(
        Self.table + "; INSERT INTO t VALUES (1, 'mine'), (2, 'b'), (3, 'c')")
      connection.close()
      var request = AttachRequest(
        store: devices.path("c"), container: devices.container, contentName: "C")
      request.followsSchema = true
      let report = try Engine.attach(request)
      #expect(report.waiting.isEmpty && report.delays.isEmpty, "\(report.delays)")
      #expect(report.outcome == .joined(added: 1) && report.conflicts == 2)
      #expect(report.schemas.map(\.peer) == [a.store.peer])
      let made = report.schemas.flatMap(\.made)
      #expect(made.count == 2 && made.contains { $0.contains("w") }, "\(made)")
      let c = try SyncSession(store: devices.path("c"))
      #expect(try c.rows("SELECT * FROM u") == ["1|u"])
      #expect(try c.rows("SELECT k, v, w FROM t ORDER BY k") == ["1|a|w", "3|c|null"])
      try expectEqualAfterExchange(c, a, before)
      for session in [a, before, c] {
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }
}
