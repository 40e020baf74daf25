import Testing
import TributaryCore
import TributarySync
import TributaryTesting

/// Rows that stand in for others, as the defaults of references name them.
struct StandInTests {
  @Test func `rows show a default as soon as that names a row which is its own parent by default`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script =
        "CREATE TABLE t (k TEXT PRIMARY KEY, f TEXT DEFAULT 'd' REFERENCES t (k) ON DELETE SET DEFAULT, v)"
      let a = try devices.open("a", script)
      let b = try devices.open("b", script)
      try a.execute("INSERT INTO t VALUES ('p', NULL, 1), ('q', NULL, 1)")
      try exchange(a, b)
      try a.execute("DELETE FROM t WHERE k = 'p'")
      try b.execute("INSERT INTO t VALUES ('c', 'p', 1)")
      try exchange(a, b)
      #expect(try b.rows("SELECT k FROM t") == ["q"])
      try a.execute("INSERT INTO t VALUES ('d', 'q', 1)")
      try b.execute("DELETE FROM t WHERE k = 'q'")
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT k, f FROM t ORDER BY k") == ["c|d", "d|d"])
        #expect(try Engine.verify(store: session.store.path).differences.isEmpty)
      }
    }
  }
}
