import Testing
import TributarySQLite
import TributarySync
import TributaryTesting

/// A synchronisation that another writer keeps out.
struct KeptOutTests {
  @Test func `what could not be imported is imported later, though nothing else has changed`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)"
      let a = try devices.open("a", schema)
      let b = try devices.open("b")
      try exchange(a, b)
      // Nothing is left to do, so that a look may spare the next synchronisation.
      for _ in 0..<2 { _ = try b.synchronize() }
      try a.execute("INSERT INTO t VALUES (1, 'x')")
      _ = try a.publish()
      let other = try Connection(path: devices.path("b"), mode: .readWrite)
      defer { other.close() }
      try other.execute("BEGIN IMMEDIATE")
      let error = #expect(throws: SQLiteError.self) { _ = try b.synchronize() }
      #expect(error?.isBusy == true)
      try other.execute("ROLLBACK")
      #expect(try b.quietReport() == nil)
      #expect(try b.synchronize().imported.transactions == 1)
      #expect(try b.rows("SELECT v FROM t") == ["x"])
    }
  }
}
