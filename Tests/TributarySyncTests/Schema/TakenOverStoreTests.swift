import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Stores that have followed the schemas of others, and that an application with migrations takes over.
struct TakenOverStoreTests {
  @Test
  func `an application takes over what its migrations have made elsewhere, in whatever steps`()
    throws
  {
    let migrations = [
      Migration(name: "1", sql: "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT)"),
      Migration(
        name: "2", sql: "CREATE TABLE tag (k TEXT PRIMARY KEY); ALTER TABLE t ADD COLUMN y"),
      Migration(
        name: "3",
        sql:
          "-- tributary: rename t.y to yy\nALTER TABLE t RENAME COLUMN y TO yy; ALTER TABLE tag ADD COLUMN n"
      ),
      Migration(name: "4", sql: "INSERT INTO tag VALUES ('seed', 1); UPDATE t SET v = v || '!'"),
    ]
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", migrations[0].sql)
      let b = try devices.openFollowing("b")
      try a.execute("INSERT INTO t VALUES (1, 'a')")
      try exchange(a, b)
      try a.store.migrate(migrations)
      try a.execute("UPDATE t SET yy = 1; INSERT INTO tag VALUES ('x', 2)")
      try exchange(a, b)
      #expect(try b.objects() == ["table t", "table tag"])
      try b.store.migrate(migrations) { $0.name == "4" }
      try b.execute("UPDATE t SET yy = yy + 1")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT * FROM t") == ["1|a!|2"])
      #expect(
        try b.rows("SELECT name FROM tributary_migration ORDER BY id") == ["1", "2", "3", "4"])
      for device in [a, b] {
        #expect(try Engine.verify(store: device.store.path).differenceCount == 0)
      }
      // One without one of the tables runs its migrations itself.
      let c = try devices.open("c", migrations[0].sql)
      try c.store.migrate(Array(migrations[..<3]))
      #expect(try c.objects() == ["table t", "table tag"])
    }
  }
}
