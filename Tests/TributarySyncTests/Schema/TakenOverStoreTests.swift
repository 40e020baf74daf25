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

  private static let steps = [
    Migration(name: "1", sql: "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT)"),
    Migration(name: "2", sql: "CREATE TABLE tag (k TEXT PRIMARY KEY)"),
  ]

  /// Makes a database that has what the first migration makes.
  private func withDatabase(_ body: (AttachRequest) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let connection = try Connection(path: devices.path("a"), mode: .create)
      try connection.execute(Self.steps[0].sql + "; INSERT INTO t VALUES (1, 'a')")
      connection.close()
      try body(
        AttachRequest(store: devices.path("a"), container: devices.container, contentName: "C"))
    }
  }

  @Test func `a database that lacks what migrations make can be attached with those that made it`()
    throws
  {
    try withDatabase { plain in
      var request = plain
      request.migrations = Self.steps
      #expect {
        try Engine.attach(request)
      } throws: {
        "\($0)".contains(
          "not those that the migrations make (here is the database, there what they make: table tag is only there)"
        )
          && "\($0)".contains("attach with only those migrations that made the database as it is")
      }
      request.migrations = [Self.steps[0]]
      _ = try Engine.attach(request)
      request.migrations = Self.steps
      _ = try Engine.attach(request)
      #expect(try SyncSession(store: request.store).objects() == ["table t", "table tag"])
    }
  }

  @Test func `a store without migrations says what it lacks before they count as run`() throws {
    try withDatabase { plain in
      _ = try Engine.attach(plain)
      var request = plain
      request.migrations = Self.steps
      #expect {
        try Engine.attach(request)
      } throws: {
        "\($0)".contains("migration 1 failed: table t already exists")
          && "\($0)".contains(
            "make it what the migrations make (here is the store, there what they make: table tag is only there)"
          )
      }
      let session = try SyncSession(store: request.store)
      try session.execute(Self.steps[1].sql)
      session.store.close()
      _ = try Engine.attach(request)
      let migrated = try SyncSession(store: request.store)
      #expect(try migrated.rows("SELECT name FROM tributary_migration ORDER BY id") == ["1", "2"])
      #expect(try migrated.rows("SELECT * FROM t") == ["1|a"])
    }
  }
}
