import Testing
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What a store that follows leaves to the application.
struct FollowingLimitTests {
  private static let table = "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT)"

  @Test(arguments: [
    (
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, w)",
      "column v of table t is INTEGER there and TEXT here"
    ),
    (
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT NOT NULL, w)",
      "table t has v NOT NULL only there"
    ),
    (
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT CHECK (v <> ''), w)",
      "table t has CHECK (v <> '') only there"
    ),
    (
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT, w, UNIQUE (v, w))",
      "table t has UNIQUE (v, w) only there"
    ),
    (
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT, w UNIQUE)",
      "column w of table t, which is only there, cannot be added"
    ),
    (
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT, w NOT NULL)",
      "column w of table t, which is only there, cannot be added"
    ),
    (
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT, w DEFAULT CURRENT_TIMESTAMP)",
      "column w of table t, which is only there, cannot be added"
    ),
    (
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT, w, x AS (v || w) STORED)",
      "column x of table t, which is only there, cannot be added"
    ),
    (
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT, w INTEGER DEFAULT 1 REFERENCES t)",
      "column w of table t, which is only there, cannot be added"
    ),
    (
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT COLLATE NOCASE, w)",
      "column v of table t has another collation there"
    ),
    (
      "CREATE TABLE t (k INTEGER PRIMARY KEY AUTOINCREMENT, v TEXT, w)",
      "table t is declared there with other options"
    ),
  ])
  func `what is not additive waits, and the reason says what differs`(
    table: String, difference: String
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.openFollowing("b", Self.table)
      let a = try devices.open("a", table)
      try exchange(b, a)
      try a.execute("INSERT INTO t (k, v, w) VALUES (1, 1, 1)")
      try a.exchange()
      let reasons = try b.reasonsToWait()
      #expect(reasons.count == 1)
      #expect(reasons.first?.contains(difference) == true, "\(reasons)")
      #expect(reasons.first?.contains("run the migration of the application here") == true)
      #expect(try b.rows("SELECT sql FROM sqlite_schema WHERE name = 't'") == [Self.table])
      #expect(try b.store.read { try $0.query("SELECT * FROM t") }.isEmpty)
    }
  }

  @Test func `a table that cannot follow does not keep others from it`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.openFollowing("b", Self.table)
      let a = try devices.open(
        "a", "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, w); PRAGMA user_version = 3")
      try exchange(b, a)
      try a.execute("CREATE TABLE u (k INTEGER PRIMARY KEY)")
      try a.execute("INSERT INTO u VALUES (1)")
      let report = try {
        try a.exchange()
        return try b.synchronize()
      }()
      #expect(report.waiting.isEmpty)
      #expect(report.imported.schemas.first?.made == ["table u"])
      #expect(
        report.imported.schemas.first?.left == [
          "column v of table t is INTEGER there and TEXT here"
        ])
      #expect(try b.rows("SELECT * FROM u") == ["1"])
      #expect(try b.rows("PRAGMA user_version") == ["0"])
      try a.execute("INSERT INTO t (k, w) VALUES (1, 1)")
      try a.exchange()
      #expect(try b.reasonsToWait().count == 1)
    }
  }

  @Test func `a unique index that rows here break is left, and said`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let b = try devices.openFollowing("b", Self.table)
      try exchange(a, b)
      try b.execute("INSERT INTO t VALUES (1, 'x'), (2, 'x')")
      try a.execute(
        "CREATE UNIQUE INDEX i ON t (v); ALTER TABLE t ADD COLUMN w; PRAGMA user_version = 2")
      try a.execute("INSERT INTO t VALUES (3, 'y', 1)")
      try a.exchange()
      let report = try b.synchronize()
      #expect(report.waiting.isEmpty)
      let taken = try #require(report.imported.schemas.first)
      #expect(taken.made == ["column w of table t"])
      #expect(taken.left.count == 1)
      #expect(taken.left.first?.hasPrefix("index i on t: rows here break it") == true)
      #expect(try b.rows("PRAGMA user_version") == ["0"])
      #expect(try b.rows("SELECT k FROM t ORDER BY k") == ["1", "2", "3"])
    }
  }

  @Test func `a column whose CHECK rows here break waits for the application`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let b = try devices.openFollowing("b", Self.table)
      try exchange(a, b)
      try b.execute("INSERT INTO t VALUES (1, 'old')")
      try a.execute("ALTER TABLE t ADD COLUMN w DEFAULT 0 CHECK (w > 0 OR v <> 'old')")
      try a.execute("INSERT INTO t VALUES (3, 'y', 1)")
      try a.exchange()
      let reasons = try b.reasonsToWait()
      #expect(reasons.count == 1)
      #expect(try b.rows("SELECT * FROM t") == ["1|old"])
    }
  }

  @Test(arguments: [
    "DROP TABLE t", "CREATE TABLE u (k INTEGER PRIMARY KEY); DROP TABLE t",
    "CREATE TRIGGER bad AFTER INSERT ON t BEGIN DELETE FROM tributary_outbox; END",
    "CREATE TABLE tributary_more (k)", "ATTACH 'x' AS y", "PRAGMA user_version = 9",
    "CREATE TABLE v AS SELECT 1 AS one",
  ])
  func `statements from elsewhere that do more than make something are not carried out`(
    hostile: String
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let b = try devices.openFollowing("b", Self.table)
      try exchange(a, b)
      try a.execute("CREATE TABLE u (k INTEGER PRIMARY KEY, x)")
      try a.execute("INSERT INTO u VALUES (1, 2)")
      try a.exchange()
      try devices.addStatement(hostile, of: a)
      let report = try b.synchronize()
      #expect(report.imported.schemas.first?.made == ["table u"])
      #expect(report.imported.schemas.first?.left.count == 1)
      #expect(try b.objects() == ["table t", "table u"])
      #expect(try b.rows("PRAGMA user_version") == ["0"])
      #expect(try b.rows("SELECT * FROM u") == ["1|2"])
    }
  }
}
