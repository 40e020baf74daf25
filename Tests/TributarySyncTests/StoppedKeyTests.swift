import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Tables without a PRIMARY KEY that programs take away for a while.
struct StoppedKeyTests {
  @Test(arguments: [CaptureMethod.hook, .triggers])
  func `what their rows are known by stays`(capture: CaptureMethod) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = "CREATE TABLE n (a, b); CREATE TABLE u (id TEXT PRIMARY KEY NOT NULL)"
      let a = try devices.open("a", script, capture: capture)
      try a.execute("INSERT INTO n VALUES (1, 2)")
      try a.exchange()
      var b = try devices.open("b", capture: capture)
      try exchange(a, b)
      func write(_ sql: String) throws {
        let connection = try Connection(path: b.store.path, mode: .readWrite)
        defer { connection.close() }
        try connection.execute(sql)
      }
      try write("ALTER TABLE n RENAME COLUMN b TO other")
      #expect(try b.synchronize().stopped.count == 1)
      try b.execute("INSERT INTO u VALUES ('b')")
      try a.execute("INSERT INTO n VALUES (3, 4); INSERT INTO u VALUES ('a')")
      for session in [b, a, b] { #expect(try session.synchronize().failure == nil) }
      try write("ALTER TABLE n RENAME COLUMN other TO b")
      _ = try b.synchronize()
      b.store.close()
      _ = try Engine.rebuild(store: devices.path("b"))
      b = try SyncSession(store: devices.path("b"))
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT a, b FROM n ORDER BY a") == ["1|2", "3|4"])
      #expect(try a.rows("SELECT id FROM u ORDER BY id") == ["a", "b"])
    }
  }
}
