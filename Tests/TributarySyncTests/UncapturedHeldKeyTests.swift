import Testing
import TributaryCore
import TributarySQLite
import TributarySync
import TributaryTesting

/// Programs that write under the numbers of held rows, in stores without triggers.
struct UncapturedHeldKeyTests {
  private static let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT UNIQUE)"

  @Test func `a row that is inserted under the number of a held one is found as another row`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script)
      let b = try devices.open("b", Self.script)
      try exchange(a, b)
      try a.execute("INSERT INTO t VALUES (1, 'same')")
      try b.execute("INSERT INTO t VALUES (2, 'same')")
      try exchange(a, b)
      #expect(try a.conflicts().filter(\.isHeld).map(\.key) == [[.integer(2)]])

      let program = try Connection(path: a.store.path, mode: .readWrite)
      try program.execute("INSERT INTO t VALUES (2, 'new')")
      program.close()
      #expect(try a.synchronize().uncaptured?.tables == ["t"])
      try exchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT * FROM t ORDER BY id") == ["1|same", "2|new"])
        #expect(try session.conflicts().map(\.isHeld) == [true])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }
}
