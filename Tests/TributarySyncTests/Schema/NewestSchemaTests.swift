import Testing
import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Which of several schemas a new device gets.
struct NewestSchemaTests {
  private static let table = """
    CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT); CREATE INDEX by_v ON t (v);
    CREATE TRIGGER noted AFTER INSERT ON t BEGIN SELECT 'a text that makes this one longer'; END
    """

  private func withTwo(_ body: (SyncDevices, SyncSession, SyncSession) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      try a.execute("INSERT INTO t VALUES (1, 'a')")
      try a.exchange()
      let b = try devices.openFollowing("b")
      try exchange(a, b)
      try body(devices, a, b)
    }
  }

  private func objects(ofNew name: String, _ devices: SyncDevices) throws -> [String] {
    try devices.attach(name)
    return try SyncSession(store: devices.path(name)).objects()
  }

  @Test func `what a device has dropped does not come back on new ones`() throws {
    try withTwo { devices, a, b in
      try b.execute("DROP INDEX by_v; DROP TRIGGER noted")
      try exchange(b, a)
      #expect(try objects(ofNew: "c", devices) == ["table t"])
      // The device that was made from it is none that has changed something.
      try a.execute("CREATE VIEW few AS SELECT k FROM t")
      try a.exchange()
      #expect(
        try objects(ofNew: "d", devices) == [
          "index by_v", "table t", "trigger noted", "view few",
        ])
    }
  }

  @Test func `columns count more than what changed last`() throws {
    try withTwo { devices, a, b in
      try b.execute("ALTER TABLE t ADD COLUMN w DEFAULT 1; DROP INDEX by_v; DROP TRIGGER noted")
      try b.exchange()
      try a.execute("CREATE VIEW few AS SELECT k FROM t")
      try a.exchange()
      try devices.attach("c")
      let c = try SyncSession(store: devices.path("c"))
      #expect(try c.rows("SELECT k, v, w FROM t") == ["1|a|1"])
      #expect(try c.objects() == ["table t"])
    }
  }

  @Test func `what a store takes from another device is no change of its own`() throws {
    try withTwo { devices, a, b in
      try a.execute("ALTER TABLE t ADD COLUMN w; DROP INDEX by_v; DROP TRIGGER noted")
      try a.execute("UPDATE t SET w = 'a'")
      try exchange(a, b)
      #expect(try b.objects() == ["index by_v", "table t", "trigger noted"])
      #expect(try objects(ofNew: "c", devices) == ["table t"])
    }
  }

  @Test func `a change is later than those that its device knew, whatever its clock says`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try devices.attach("a", Self.table)
      var ahead = StoreEnvironment()
      ahead.clock = AheadClock(milliseconds: 365 * 86_400_000)
      let a = try SyncSession(store: devices.path("a"), environment: ahead)
      try a.exchange()
      let b = try devices.openFollowing("b")
      try exchange(a, b)
      try a.execute("DROP TRIGGER noted; CREATE INDEX other ON t (v, k)")
      try a.exchange()
      try b.exchange()
      try b.execute("DROP INDEX by_v; DROP TRIGGER noted")
      try b.exchange()
      #expect(try objects(ofNew: "c", devices) == ["table t"])
    }
  }

  @Test func `the time of a change survives the loss of peer json`() throws {
    try withTwo { devices, a, b in
      try b.execute("DROP INDEX by_v; DROP TRIGGER noted")
      try b.exchange()
      try devices.removeManifest(of: b)
      try SyncSession(store: devices.path("b")).exchange()
      #expect(try objects(ofNew: "c", devices) == ["table t"])
    }
  }

  private static let plain = ManifestSchema(
    id: "1", tables: ["t"], sql: ["CREATE TABLE t (k INTEGER PRIMARY KEY, v)"], migrations: ["1"])

  private static func changed(_ change: (inout ManifestSchema) -> Void) -> ManifestSchema {
    var schema = plain
    change(&schema)
    return schema
  }

  @Test(arguments: [
    (changed { $0.sql.append("CREATE INDEX i ON t (v)") }, changed { $0.changed = 1 }),
    (changed { $0.changed = 1 }, changed { $0.changed = 2 }),
    (
      changed { $0.changed = 2 },
      changed { $0.sql = ["CREATE TABLE t (k INTEGER PRIMARY KEY, v, w)"] }
    ),
    (
      changed { $0.sql.append("CREATE TABLE left_out (a, b, c)") },
      changed { $0.sql = ["CREATE TABLE t (k INTEGER PRIMARY KEY, v, w)"] }
    ),
    (
      changed { $0.sql = ["CREATE TABLE t (k INTEGER PRIMARY KEY, v, w)"] },
      changed { $0.userVersion = 1 }
    ),
    (changed { $0.userVersion = 1 }, changed { $0.migrations = ["1", "2"] }),
    (plain, changed { $0.applicationID = 1 }),
  ])
  func `the second of two schemas is newer, in whatever order they are found`(
    older: ManifestSchema, newer: ManifestSchema
  ) {
    #expect(SharedSchema.newest(of: [older, newer]) == newer)
    #expect(SharedSchema.newest(of: [newer, older]) == newer)
  }
}
