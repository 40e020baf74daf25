import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Stores that take by themselves what the schemas of others add.
struct FollowingTests {
  private static let table = "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT)"

  private func withTwo(_ body: (SyncDevices, SyncSession, SyncSession) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let b = try devices.openFollowing("b", Self.table)
      try a.execute("INSERT INTO t VALUES (1, 'a')")
      try b.execute("INSERT INTO t VALUES (2, 'b')")
      try expectEqualAfterExchange(a, b)
      try body(devices, a, b)
    }
  }

  @Test func `a column comes with the import that needs it`() throws {
    try withTwo { devices, a, b in
      try a.execute("ALTER TABLE t ADD COLUMN w TEXT NOT NULL DEFAULT 'none'")
      try a.execute("UPDATE t SET w = 'set' WHERE k = 1")
      let written = try b.store.service { try Outbox($0).last()?.sequence }
      try a.exchange()
      let report = try b.synchronize()
      #expect(report.waiting.isEmpty)
      #expect(report.imported.schemas.map(\.made) == [["column w of table t"]])
      #expect(report.imported.schemas.first?.left == [])
      #expect(try b.rows("SELECT k, v, w FROM t ORDER BY k") == ["1|a|set", "2|b|none"])
      // It is nobody's transaction.
      #expect(try b.store.service { try Outbox($0).last()?.sequence } == written)
      try b.execute("UPDATE t SET w = 'later' WHERE k = 2")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT w FROM t ORDER BY k") == ["set", "later"])
      for name in ["a", "b"] {
        #expect(try Engine.verify(store: devices.path(name)).differenceCount == 0)
      }
    }
  }

  @Test(arguments: [CaptureMethod.hook, .triggers])
  func `rows that come with a column that has a default are nobody's writes here`(
    capture: CaptureMethod
  ) throws {
    let schema = """
      \(Self.table);
      CREATE TABLE log (k TEXT PRIMARY KEY NOT NULL);
      CREATE TRIGGER noted AFTER INSERT ON t BEGIN INSERT OR IGNORE INTO log VALUES (new.k); END;
      """
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", schema)
      let b = try devices.openFollowing("b", schema, capture: capture)
      try a.execute("ALTER TABLE t ADD COLUMN w TEXT DEFAULT 'none'")
      try a.execute("INSERT INTO t VALUES (1, 'a', 'set'); DELETE FROM log")
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT * FROM log") == [])
      #expect(try b.store.service { try Outbox($0).last()?.sequence } == nil)
      try a.execute("DELETE FROM t")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT * FROM t") == [], "nothing brings it back")
    }
  }

  @Test func `others can take a schema as soon as they find a log that needs it`() throws {
    try withTwo { devices, a, b in
      try b.execute("INSERT INTO t VALUES (3, 'b')")
      try b.exchange()
      let log = try "/\(b.store.identity().peer)/log/"
      let segment = try #require(devices.present().filter { $0.contains(log) }.max())
      try a.execute("ALTER TABLE t ADD COLUMN w; UPDATE t SET w = 'set' WHERE k = 1")
      let found = Recorded<SyncReport>()
      // The first time, before it publishes, it looks at the header; the second time, it imports.
      let files = EventfulFileSystem(atOpening: segment, time: 2) {
        do { found.append(try b.synchronize()) } catch { Issue.record(error) }
      }
      let environment = StoreEnvironment(fileSystem: files, containerLimit: nil)
      try SyncSession(store: a.store.path, environment: environment).exchange()
      #expect(found.all.map(\.waiting) == [[]])
      #expect(found.all.map(\.imported.transactions) == [1])
      #expect(try b.rows("SELECT w FROM t WHERE k = 1") == ["set"])
      try expectEqualAfterExchange(a, b)
    }
  }

  @Test func `a device that is attached takes what only some of the others have`() throws {
    try withTwo { devices, a, b in
      // Made apart, so that nobody's schema has both.
      for (device, table) in [(b, "w"), (a, "u")] {
        try device.execute(
          "CREATE TABLE \(table) (k INTEGER PRIMARY KEY); CREATE INDEX by_\(table) ON \(table) (k)")
        try device.execute("INSERT INTO \(table) VALUES (7)")
        _ = try device.synchronize()
      }
      try #require(try a.objects() == ["index by_u", "table t", "table u"])
      var request = AttachRequest(
        store: devices.path("c"), container: devices.container, contentName: "C")
      request.followsSchema = true
      let report = try Engine.attach(request)
      #expect(report.waiting == [])
      let c = try SyncSession(store: devices.path("c"))
      #expect(
        try c.objects() == ["index by_u", "index by_w", "table t", "table u", "table w"])
      #expect(try c.rows("SELECT * FROM t, u, w") == ["1|a|7|7", "2|b|7|7"])
      #expect(try Engine.verify(store: devices.path("c")).differenceCount == 0)
    }
  }

  @Test func `nothing is taken before an import needs it`() throws {
    try withTwo { _, a, b in
      try a.execute("CREATE INDEX by_v ON t (v); CREATE TABLE u (k INTEGER PRIMARY KEY)")
      try a.execute("UPDATE t SET v = 'x' WHERE k = 1")
      try expectEqualRows(a, b, "SELECT * FROM t ORDER BY k")
      #expect(try b.objects() == ["table t"])
    }
  }

  @Test func `everything that is additive comes at once, and the number with it`() throws {
    try withTwo { _, a, b in
      try a.execute(
        """
        CREATE TABLE u (k TEXT PRIMARY KEY NOT NULL, t INTEGER REFERENCES t, n INTEGER DEFAULT 7);
        ALTER TABLE t ADD COLUMN doubled TEXT AS (v || v) VIRTUAL;
        ALTER TABLE t ADD COLUMN parent INTEGER REFERENCES t;
        ALTER TABLE t ADD COLUMN rating INTEGER DEFAULT 3 CHECK (rating > 0);
        CREATE UNIQUE INDEX by_n ON u (n) WHERE n > 7;
        CREATE INDEX by_v ON t (v);
        CREATE VIEW both AS SELECT t.k, u.n FROM t JOIN u ON u.t = t.k;
        CREATE TRIGGER cut AFTER DELETE ON t BEGIN DELETE FROM u WHERE t = old.k; END;
        PRAGMA user_version = 4; PRAGMA application_id = 77;
        """)
      try a.execute("INSERT INTO u (k, t) VALUES ('x', 1)")
      try expectEqualAfterExchange(a, b)
      #expect(
        try b.objects() == [
          "index by_n", "index by_v", "table t", "table u", "trigger cut", "view both",
        ])
      #expect(try b.rows("SELECT doubled, rating FROM t ORDER BY k") == ["aa|3", "bb|3"])
      #expect(try b.rows("SELECT * FROM both") == ["1|7"])
      #expect(try b.rows("PRAGMA user_version") == ["4"])
      #expect(try b.rows("PRAGMA application_id") == ["77"])
      try b.execute("DELETE FROM t WHERE k = 1")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT * FROM u") == [])
    }
  }

  @Test func `a chain goes on when the first device has gone`() throws {
    try withTwo { devices, a, b in
      let c = try devices.openFollowing("c", Self.table)
      try c.exchange()
      try a.execute(
        "CREATE TABLE u (k INTEGER PRIMARY KEY, x); ALTER TABLE t ADD COLUMN w DEFAULT 1")
      try a.execute("INSERT INTO u VALUES (1, 'u')")
      try exchange(a, b)
      try b.execute("INSERT INTO u VALUES (2, 'of b')")
      try b.exchange()
      // And with it its schema.
      try devices.removeManifest(of: a)
      let report = try c.synchronize()
      #expect(report.waiting.isEmpty)
      #expect(report.imported.schemas.map(\.peer) == [b.store.peer])
      #expect(try c.rows("SELECT * FROM u ORDER BY k") == ["1|u", "2|of b"])
    }
  }

  @Test func `what another store writes with it waits while a store does not follow`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let b = try devices.open("b", Self.table)
      try exchange(a, b)
      try a.execute("ALTER TABLE t ADD COLUMN w")
      try a.execute("INSERT INTO t VALUES (1, 'a', 'w')")
      try a.exchange()
      #expect(try b.synchronize().waiting.count == 1)
      #expect(try b.rows("SELECT count(*) FROM t") == ["0"])
      // Then the user switches following on.
      try b.store.follow(true)
      try expectEqualAfterExchange(a, b)
    }
  }

  @Test func `an import that fails leaves the schema as it was`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table + "; CREATE TABLE s (k INTEGER PRIMARY KEY, n)")
      let b = try devices.openFollowing(
        "b",
        Self.table + "; CREATE TABLE s (k INTEGER PRIMARY KEY, n);" + RefusingTrigger.script("s"))
      try exchange(a, b)
      try a.execute("CREATE TABLE u (k INTEGER PRIMARY KEY); PRAGMA user_version = 2")
      try a.execute("INSERT INTO s VALUES (1, -1); INSERT INTO u VALUES (1)")
      try a.exchange()
      let before = try b.rows("SELECT sql FROM sqlite_schema ORDER BY 1")
      let reasons = try b.reasonsToWait()
      #expect(reasons.count == 1)
      #expect(reasons.first?.contains(RefusingTrigger.message) == true)
      #expect(try b.rows("SELECT sql FROM sqlite_schema ORDER BY 1") == before)
      #expect(try b.rows("PRAGMA user_version") == ["0"])
      try b.execute("INSERT INTO t VALUES (2, 'b')")
      #expect(try b.reasonsToWait().count == 1)
    }
  }

  @Test func `a selection of tables stays, and others are made without being shared`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let b = try devices.openFollowing("b", Self.table, tables: .only(["t"]))
      try exchange(a, b)
      try a.execute("CREATE TABLE u (k INTEGER PRIMARY KEY); ALTER TABLE t ADD COLUMN w")
      try a.execute("INSERT INTO u VALUES (1); INSERT INTO t VALUES (1, 'a', 'w')")
      try exchange(a, b)
      #expect(try b.rows("SELECT * FROM t") == ["1|a|w"])
      #expect(try b.objects() == ["table t", "table u"])
      #expect(try b.rows("SELECT * FROM u") == [])
      try b.execute("INSERT INTO u VALUES (5)")
      try exchange(a, b)
      #expect(try a.rows("SELECT * FROM u") == ["1"])
    }
  }

  @Test func `a table that its device does not share is not shared here either`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open(
        "a", Self.table + "; CREATE TABLE cache (k INTEGER PRIMARY KEY)", tables: .except(["cache"])
      )
      let b = try devices.openFollowing("b", Self.table)
      try exchange(a, b)
      try a.execute("ALTER TABLE t ADD COLUMN w")
      try a.execute("INSERT INTO t VALUES (1, 'a', 'w')")
      try exchange(a, b)
      try b.execute("INSERT INTO cache VALUES (9); INSERT INTO t VALUES (2, 'b', 'w')")
      try exchange(a, b)
      #expect(try a.rows("SELECT * FROM cache") == [])
      #expect(try b.objects() == ["table cache", "table t"])
    }
  }

  @Test func `how a new table merges is taken, too`() throws {
    try withTwo { _, a, b in
      try a.store.migrate(
        [
          Migration(name: "1", sql: Self.table),
          Migration(
            name: "2", sql: "CREATE TABLE n (k TEXT PRIMARY KEY NOT NULL, c INTEGER DEFAULT 0)"),
        ], declaring: MergeOptions(tables: ["n": TableMerge(columns: ["c": .counter])]))
      try a.execute("INSERT INTO n VALUES ('x', 1)")
      try exchange(a, b)
      try a.execute("UPDATE n SET c = c + 1")
      try b.execute("UPDATE n SET c = c + 2")
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT c FROM n") == ["4"])
    }
  }

  @Test func `programs that write with triggers go on writing the new columns`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let b = try devices.openFollowing("b", Self.table, capture: .triggers)
      let program = try Connection(path: devices.path("b"), mode: .readWrite)
      let insertion = try program.prepare("INSERT INTO t (k, v) VALUES (?, ?)")
      try insertion.run(.integer(5), .string("before"))
      try exchange(a, b)
      try a.execute(
        "ALTER TABLE t ADD COLUMN w DEFAULT 'd'; CREATE TABLE u (k INTEGER PRIMARY KEY)")
      try a.execute("UPDATE t SET w = 'w'; INSERT INTO u VALUES (1)")
      try exchange(a, b)
      try insertion.run(.integer(6), .string("after"))
      try program.execute("UPDATE t SET w = 'p' WHERE k = 5; INSERT INTO u VALUES (2)")
      program.close()
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT * FROM t ORDER BY k") == ["5|before|p", "6|after|d"])
      #expect(try a.rows("SELECT * FROM u ORDER BY k") == ["1", "2"])
    }
  }

  @Test func `a store with triggers goes on importing after it has taken a schema`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let b = try devices.openFollowing("b", Self.table, capture: .triggers)
      try exchange(a, b)
      // Two transactions wait at once, and more come while the session is open.
      for column in ["w", "x"] {
        try a.execute("ALTER TABLE t ADD COLUMN \(column)")
        try a.execute("INSERT INTO t (v, \(column)) VALUES ('a', 1)")
      }
      try a.execute("INSERT INTO t (v) VALUES ('more')")
      try expectEqualAfterExchange(a, b)
      try a.execute("INSERT INTO t (v) VALUES ('later')")
      try expectEqualAfterExchange(a, b)
    }
  }

  @Test func `another session with statements in use goes on`() throws {
    try withTwo { devices, a, b in
      let other = try SyncSession(store: devices.path("b"))
      try other.execute("INSERT INTO t VALUES (10, 'other')")
      try a.execute("ALTER TABLE t ADD COLUMN w NOT NULL DEFAULT 1")
      try a.execute("UPDATE t SET w = 2")
      try a.exchange()
      try b.exchange()
      try other.execute("INSERT INTO t (k, v) VALUES (11, 'other')")
      try other.execute("UPDATE t SET w = 3 WHERE k = 10")
      try expectEqualAfterExchange(a, b, other)
      #expect(try a.rows("SELECT k, w FROM t ORDER BY k") == ["1|2", "2|2", "10|3", "11|1"])
    }
  }

  @Test func `the migration that brought it passes over what is there`() throws {
    try withTwo { devices, a, b in
      let second = Migration(
        name: "2",
        sql: """
          ALTER TABLE t ADD COLUMN w TEXT DEFAULT 'd';
          CREATE TABLE IF NOT EXISTS u (k INTEGER PRIMARY KEY);
          CREATE TRIGGER cut AFTER DELETE ON t BEGIN DELETE FROM u WHERE k = old.k; SELECT 1; END;
          INSERT OR IGNORE INTO u VALUES (100);
          CREATE INDEX more ON u (k)
          """)
      let all = [Migration(name: "1", sql: Self.table), second]
      try a.store.migrate(all)
      try a.execute("UPDATE t SET w = 'w'")
      try exchange(a, b)
      try b.execute("DROP INDEX more")
      try b.store.migrate(all)
      #expect(try b.objects().contains("index more"))
      try expectEqualAfterExchange(a, b)
      // What is not the same fails as ever.
      #expect(throws: StoreError.self) {
        try b.store.migrate(all + [Migration(name: "3", sql: "ALTER TABLE t ADD COLUMN w INTEGER")])
      }
    }
  }

  @Test func `a full-text table is filled from the rows that are here`() throws {
    try withTwo { _, a, b in
      try a.execute(
        """
        CREATE VIRTUAL TABLE words USING fts5 (v, content='t', content_rowid='k');
        INSERT INTO words (words) VALUES ('rebuild');
        CREATE TRIGGER t_i AFTER INSERT ON t BEGIN
          INSERT INTO words (rowid, v) VALUES (new.k, new.v); END;
        CREATE TRIGGER t_d AFTER DELETE ON t BEGIN
          INSERT INTO words (words, rowid, v) VALUES ('delete', old.k, old.v); END;
        ALTER TABLE t ADD COLUMN w;
        """)
      try a.execute("INSERT INTO t VALUES (3, 'third', 1)")
      try exchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows("SELECT rowid FROM words ('b OR third') ORDER BY 1") == ["2", "3"])
      }
      try b.execute("DELETE FROM t WHERE k = 2")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT rowid FROM words ('b OR third') ORDER BY 1") == ["3"])
    }
  }

  private func expectEqualRows(
    _ a: SyncSession, _ b: SyncSession, _ sql: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try exchange(a, b)
    #expect(try a.rows(sql) == b.rows(sql), sourceLocation: sourceLocation)
  }
}
