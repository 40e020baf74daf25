import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Rows that break a NOT NULL or CHECK which a migration has added: they are held until they break it no more.
struct BrokenConstraintTests {
  static let older = Migration(
    name: "1",
    sql: """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, w TEXT UNIQUE);
      CREATE TABLE part (id INTEGER PRIMARY KEY, t INTEGER REFERENCES t)
      """)
  static let stricter = Migration(
    name: "2",
    sql: """
      CREATE TABLE new (id INTEGER PRIMARY KEY, v TEXT NOT NULL CHECK (v <> ''), w TEXT UNIQUE);
      INSERT INTO new SELECT id, v, w FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t
      """)
  static let laxer = Migration(
    name: "3",
    sql: """
      CREATE TABLE new (id INTEGER PRIMARY KEY, v TEXT, w TEXT UNIQUE);
      INSERT INTO new SELECT id, v, w FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t
      """)

  private let rows = "SELECT id, v FROM t ORDER BY id"

  /// Two devices of the older schema; then `a` migrates, after it has mended a row.
  private func withTwoVersions(
    _ body: (SyncDevices, _ new: SyncSession, _ old: SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.older.sql)
      let b = try devices.open("b", Self.older.sql)
      try a.execute("INSERT INTO t (id, v) VALUES (1, NULL), (2, 'two')")
      try exchange(a, b)
      try a.execute("UPDATE t SET v = 'was null' WHERE v IS NULL")
      try a.store.migrate([Self.older, Self.stricter])
      try exchange(a, b)
      try body(devices, a, b)
    }
  }

  private func conflicts(_ session: SyncSession) throws -> [String] {
    try session.conflicts().map { conflict in
      let values = conflict.values.map { "\($0.value)" }.joined(separator: " ")
      return "\(conflict.kind.rawValue) \(conflict.isHeld) \(conflict.table) \(values) "
        + "by \(conflict.loser.sequence)"
    }.sorted()
  }

  @Test func `a row that breaks a constraint is held, and everything else arrives`() throws {
    try withTwoVersions { devices, a, b in
      try b.execute("INSERT INTO t (id, v) VALUES (10, 'ten')")
      try b.execute("INSERT INTO t (id, v) VALUES (11, NULL), (12, 'twelve')")
      try b.execute("UPDATE t SET w = 'x' WHERE id = 11")
      try b.execute("INSERT INTO part VALUES (1, 11), (2, 12)")
      try b.execute("UPDATE t SET v = '' WHERE id = 2")
      try b.exchange()
      var identifiers: [[String]] = []
      for name in ["a", "new"] {
        if name == "new" { try devices.attach(name) }
        let session = try name == "a" ? a : SyncSession(store: devices.path(name))
        let report = try session.synchronize()
        #expect(report.failure == nil)
        #expect(report.waiting.isEmpty, "\(name)")
        #expect(try session.rows(rows) == ["1|was null", "10|ten", "12|twelve"], "\(name)")
        #expect(try session.rows("SELECT * FROM part") == ["2|12"], "\(name)")
        #expect(
          try conflicts(session) == [
            "check true t 2 '' NULL by 5",
            "foreign key true part 1 11 by 4",
            "not null true t 11 NULL 'x' by 3",
          ], "\(name)")
        identifiers.append(try session.conflicts().map(\.id).sorted())
        session.store.close()
        let verified = try Engine.verify(store: devices.path(name))
        #expect(verified.differences.map { "\($0)" } == [], "\(name)")
      }
      #expect(identifiers[0] == identifiers[1])
      // The row's author changes it, and what refers to it returns too.
      try b.execute("UPDATE t SET v = 'eleven' WHERE id = 11; DELETE FROM t WHERE id = 2")
      try b.exchange()
      for name in ["a", "new"] {
        let session = try SyncSession(store: devices.path(name))
        try session.exchange()
        #expect(
          try session.rows(rows) == ["1|was null", "10|ten", "11|eleven", "12|twelve"], "\(name)")
        #expect(try session.rows("SELECT * FROM part") == ["1|11", "2|12"])
        #expect(try session.conflicts() == [])
        session.store.close()
        #expect(try Engine.verify(store: devices.path(name)).differenceCount == 0)
      }
    }
  }

  @Test func `a held row claims nothing, and comes after one that has its key since`() throws {
    try withTwoVersions { _, a, b in
      try b.execute("INSERT INTO t VALUES (10, NULL, 'same')")
      try b.exchange()
      _ = try a.synchronize()
      try a.execute("INSERT INTO t VALUES (20, 'twenty', 'same')")
      #expect(try a.rows("SELECT id FROM t WHERE w = 'same'") == ["20"])
      try exchange(a, b)
      #expect(try b.rows("SELECT id FROM t WHERE w = 'same'") == ["10"])
      // Both are allowed now, and the first claim counts, on both devices.
      try b.execute("UPDATE t SET v = 'ten' WHERE id = 10")
      try expectEqualAfterExchange(b, a)
      #expect(try a.rows("SELECT id FROM t WHERE w = 'same'") == ["10"])
      #expect(try a.conflicts().map(\.kind) == [.unique])
      #expect(try a.conflicts().map(\.id) == b.conflicts().map(\.id))
    }
  }

  @Test func `a commit that frees the key of a row which is not allowed shows it no more`() throws {
    try withTwoVersions { devices, a, b in
      try a.execute("INSERT INTO t VALUES (20, 'twenty', 'same')")
      try a.exchange()
      try b.execute("INSERT INTO t VALUES (10, NULL, 'same')")
      try expectExchanged(a, b)
      #expect(try a.conflicts().map(\.kind) == [.unique])
      try a.execute("DELETE FROM t WHERE id = 20")
      #expect(try a.rows("SELECT id FROM t WHERE w = 'same'") == [])
      #expect(try a.conflicts().map(\.kind) == [.notNull])
      try expectExchanged(a, b)
      #expect(try a.conflicts().map(\.loser.sequence.rawValue) == [1])
      #expect(try b.rows("SELECT id FROM t WHERE w = 'same'") == ["10"])
      let digest = try a.store.digest().total
      a.store.close()
      let path = devices.path("a")
      _ = try Engine.rebuild(store: path)
      let again = try SyncSession(store: path)
      #expect(try again.store.digest().total == digest)
      #expect(try again.conflicts().map(\.loser.sequence.rawValue) == [1])
    }
  }

  @Test func `a migration that drops the constraint brings the rows back`() throws {
    try withTwoVersions { _, a, b in
      try b.execute("INSERT INTO t VALUES (10, NULL, NULL), (11, '', NULL)")
      try b.execute("INSERT INTO part VALUES (1, 10)")
      try b.exchange()
      _ = try a.synchronize()
      #expect(try a.conflicts().count == 3)
      try a.store.migrate([Self.older, Self.stricter, Self.laxer])
      let back = try a.rows(rows)
      #expect(back == ["1|was null", "2|two", "10|null", "11|"])
      #expect(try a.rows("SELECT * FROM part") == ["1|10"])
      #expect(try a.conflicts() == [])
      try b.store.migrate([Self.older, Self.stricter, Self.laxer].filter { $0.name != "2" })
      try expectEqualAfterExchange(a, b)
    }
  }

  @Test func `a row that is held for its values can be kept out, but not restored`() throws {
    try withTwoVersions { _, a, b in
      try b.execute("INSERT INTO t VALUES (10, NULL, NULL)")
      try b.exchange()
      _ = try a.synchronize()
      let conflict = try #require(try a.conflicts().first)
      #expect {
        _ = try a.resolve(conflict.id, .restore)
      } throws: {
        "\($0)".contains("a constraint of this device does not allow the row")
          && "\($0)".contains("write other values")
      }
      #expect(try a.conflicts() == [conflict])
      #expect(try a.resolve(conflict.id, .keep))
      #expect(try a.conflicts() == [])
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT id FROM t") == ["1", "2"])
    }
  }

  @Test func `a row is held that would break a CHECK without what it refers to`() throws {
    try withTemporaryDirectory { directory in
      let script = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
        CREATE TABLE part (
          id INTEGER PRIMARY KEY, t INTEGER REFERENCES t ON DELETE SET NULL, name TEXT,
          CHECK (t IS NOT NULL OR name <> '')
        )
        """
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", script)
      let b = try devices.open("b", script)
      try a.execute("INSERT INTO t VALUES (1, 'one')")
      try exchange(a, b)
      try a.execute("INSERT INTO part VALUES (1, 1, 'named'), (2, 1, '')")
      try b.execute("DELETE FROM t")
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT * FROM part") == ["1|null|named"])
        #expect(
          try conflicts(session) == [
            "check true part 2 1 '' by 2", "foreign key false part 1 by 2",
          ])
      }
      for name in ["a", "b"] {
        #expect(try Engine.verify(store: devices.path(name)).differences.isEmpty)
      }
      try b.execute("INSERT INTO t VALUES (1, 'again')")
      try expectEqualAfterExchange(b, a)
      #expect(try a.rows("SELECT * FROM part") == ["1|1|named", "2|1|"])
      #expect(try a.conflicts() == [])
    }
  }

  @Test func `values of other types than a STRICT table has are held`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let table = "CREATE TABLE t (k TEXT PRIMARY KEY NOT NULL, n INTEGER)"
      let a = try devices.open("a", table + " STRICT")
      let b = try devices.open("b", table)
      try b.execute("INSERT INTO t VALUES ('x', 1), ('y', 'why')")
      try b.exchange()
      #expect(try a.synchronize().waiting.isEmpty)
      #expect(try a.rows("SELECT * FROM t") == ["x|1"])
      #expect(try conflicts(a) == ["type true t 'y' 'why' by 1"])
      #expect {
        try a.execute("INSERT INTO t VALUES ('y', 2)")
      } throws: {
        "\($0)".contains("a row with this key is held, conflict ")
      }
      try b.execute("UPDATE t SET n = 3 WHERE k = 'y'")
      try b.exchange()
      _ = try a.synchronize()
      #expect(try a.rows("SELECT * FROM t") == ["x|1", "y|3"])
      #expect(try a.conflicts() == [])
    }
  }

  @Test func `the replay of a moment holds what the schema of today does not allow`() throws {
    try withTwoVersions { devices, a, b in
      try b.execute("INSERT INTO t VALUES (10, NULL, NULL)")
      try b.execute("UPDATE t SET v = 'ten' WHERE id = 10")
      try b.exchange()
      _ = try a.synchronize()
      a.store.close()
      let verified = try Engine.verify(store: devices.path("a"))
      #expect(verified.differenceCount == 0)
    }
  }

  private func expectExchanged(_ a: SyncSession, _ b: SyncSession) throws {
    try exchange(a, b)
    #expect(try a.synchronize().waiting.isEmpty)
  }
}
