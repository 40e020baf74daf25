import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What programs write that know nothing of Tributary, captured by triggers or found by comparison.
struct ForeignWriteTests {
  private static let script = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT UNIQUE, n REAL, b);
    CREATE TABLE c (
      k TEXT COLLATE NOCASE, s INTEGER, p INTEGER REFERENCES p (id) ON DELETE CASCADE, v TEXT,
      PRIMARY KEY (k, s)
    ) WITHOUT ROWID;
    INSERT INTO p VALUES (1, 'one', 1.5, x'00'), (2, 'two', 2, 't'), (3, 'three', 0.0, NULL);
    INSERT INTO c VALUES ('a', 1, 1, 'x'), ('b', 1, 1, 'y'), ('c', 2, 2, 'z');
    """

  /// Two stores that any program may write, with the same rows.
  private func withPair(
    _ script: String = Self.script, _ body: (SyncDevices, SyncSession, SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      for (name, migration) in [("a", script), ("b", nil)] {
        var request = AttachRequest(
          store: devices.path(name), container: devices.container, contentName: "C")
        if let migration { request.migrations = [Migration(name: "1", sql: migration)] }
        request.capture = .triggers
        _ = try Engine.attach(request)
        _ = try SyncSession(store: devices.path(name)).synchronize()
      }
      let a = try SyncSession(store: devices.path("a"))
      let b = try SyncSession(store: devices.path("b"))
      try exchange(a, b)
      try body(devices, a, b)
    }
  }

  /// Writes as a program does that has a SQLite of its own.
  private func write(
    _ sql: String, to session: SyncSession, enforcing foreignKeys: Bool = true
  ) throws {
    let connection = try Connection(path: session.store.path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute("PRAGMA foreign_keys = \(foreignKeys)")
    try connection.execute(sql)
  }

  private func expectEqual(_ sessions: SyncSession...) throws {
    for _ in 0..<3 { for session in sessions { try session.exchange() } }
    #expect(try Set(sessions.map { try $0.store.digest().total }).count == 1)
    #expect(try Set(sessions.map { try $0.conflicts().map(\.id) }).count == 1)
    for session in sessions {
      #expect(try Engine.verify(store: session.store.path).differences.isEmpty)
    }
  }

  @Test(arguments: [
    "INSERT INTO p (name, n, b) VALUES ('four', 4, 1); UPDATE p SET n = 7 WHERE id = 1",
    "DELETE FROM p WHERE id = 1",
    "INSERT OR REPLACE INTO p VALUES (9, 'one', 3, 3)",
    "INSERT OR REPLACE INTO p VALUES (2, 'three', 3, 3)",
    "UPDATE OR REPLACE p SET name = 'one' WHERE id = 3",
    "REPLACE INTO c VALUES ('A', 1, 2, 'other spelling')",
    "INSERT INTO p (id, name) VALUES (1, 'uno') ON CONFLICT (id) DO UPDATE SET name = 'upserted'",
    "INSERT INTO c SELECT 'k' || id, id, id, name FROM p",
    "UPDATE p SET id = id + 10 WHERE id = 3; UPDATE p SET rowid = 50 WHERE id = 13",
    "UPDATE c SET k = 'A' WHERE k = 'a'; UPDATE c SET s = 5 WHERE k = 'b'",
    "UPDATE p SET b = 1 WHERE id = 1; UPDATE p SET b = 1.0 WHERE id = 1",
    "UPDATE p SET b = 0.0; UPDATE p SET b = -0.0 WHERE id = 2; UPDATE p SET b = CAST(b AS TEXT) WHERE id = 3",
    "UPDATE p SET b = zeroblob(10000); UPDATE p SET b = randomblob(10001) WHERE id = 2",
    "BEGIN; INSERT INTO p VALUES (4, 'x', 1, 1); SAVEPOINT s; DELETE FROM p; ROLLBACK TO s; COMMIT",
    "DELETE FROM c; DELETE FROM p",
    "DELETE FROM p WHERE id = 2; INSERT INTO p VALUES (2, 'again', 1, 1)",
  ])
  func `what another program writes reaches every device`(sql: String) throws {
    try withPair { _, a, b in
      try write(sql, to: a)
      let rows = try (a.rows("SELECT * FROM p"), a.rows("SELECT * FROM c"))
      try expectEqual(a, b)
      #expect(try a.rows("SELECT * FROM p") == rows.0)
      #expect(try a.rows("SELECT * FROM c") == rows.1)
    }
  }

  @Test(arguments: [
    "INSERT OR REPLACE INTO d VALUES (3, NULL, 'q', 'q')",
    "UPDATE OR REPLACE d SET u = NULL WHERE id = 2",
    "UPDATE OR REPLACE d SET t = NULL WHERE id = 2",
    "UPDATE OR REPLACE d SET other = NULL WHERE id = 2",
  ])
  func `a row that a default displaces is gone everywhere`(sql: String) throws {
    let script = """
      CREATE TABLE d (
        id INTEGER PRIMARY KEY, u INT NOT NULL DEFAULT (-7) UNIQUE,
        t TEXT NOT NULL DEFAULT 'it''s' COLLATE NOCASE UNIQUE,
        other NOT NULL DEFAULT CURRENT_TIMESTAMP);
      INSERT INTO d VALUES (1, -7, 'IT''S', 'x'), (2, 8, 'u', 'y');
      """
    try withPair(script) { _, a, b in
      try write(sql, to: a)
      let rows = try a.rows("SELECT * FROM d")
      try expectEqual(a, b)
      #expect(try b.rows("SELECT * FROM d") == rows)
    }
  }

  @Test func `a child whose parent another program deletes makes the same conflict everywhere`()
    throws
  {
    let script = """
      CREATE TABLE p (id INTEGER PRIMARY KEY);
      CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p (id));
      INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES (1, 1), (2, 2);
      """
    try withPair(script) { _, a, b in
      for session in [a, b] {
        try write(
          "DELETE FROM p WHERE id = \(session === a ? 1 : 2)", to: session, enforcing: false)
        try expectEqual(a, b)
        let all = try [a, b].map { try $0.conflicts(ended: true).map(\.id) }
        #expect(all[0] == all[1])
        #expect(!all[0].isEmpty)
        for session in [a, b] {
          let findings = try Engine.diagnose(store: session.store.path)
          #expect(findings.filter { $0.code == .bookkeeping }.map(\.explanation) == [])
        }
      }
      for session in [a, b] {
        try write("INSERT OR IGNORE INTO p VALUES (1), (2)", to: session)
        try expectEqual(a, b)
      }
    }
  }

  @Test func `a key that nothing captured as it was spelled otherwise is recorded`() throws {
    let script = """
      CREATE TABLE r (a TEXT COLLATE NOCASE PRIMARY KEY, v, w);
      INSERT INTO r VALUES ('a', 1, NULL), ('b', x'00', 'w');
      """
    try withPair(script) { _, a, b in
      try write("DROP TRIGGER tributary_capture_rekey_r", to: a)
      try write(
        "UPDATE r SET a = 'A' WHERE a = 'a'; UPDATE r SET a = 'B', v = 2 WHERE a = 'b'", to: a)
      try expectEqual(a, b)
      #expect(try b.rows("SELECT a, v FROM r WHERE w IS NULL") == ["A|1"])
      #expect(try b.rows("SELECT * FROM r WHERE w = 'w'") == ["B|2|w"])
    }
  }

  @Test(arguments: [
    "BEGIN; DELETE FROM p; ROLLBACK",
    "UPDATE p SET n = 8 WHERE id = 1; UPDATE p SET n = 1.5 WHERE id = 1",
    "UPDATE p SET b = 8 WHERE id = 3; UPDATE p SET b = NULL WHERE id = 3",
    "DELETE FROM p WHERE id = 3; INSERT INTO p VALUES (3, 'three', 0.0, NULL)",
    "INSERT OR IGNORE INTO p VALUES (1, 'q', 1, 1)",
    "INSERT INTO p VALUES (77, 'r', 1, 1); DELETE FROM p WHERE id = 77",
    "VACUUM",
  ])
  func `what comes to nothing is no transaction`(sql: String) throws {
    try withPair { _, a, _ in
      try write(sql, to: a)
      #expect(try a.synchronize().published.transactions == 0)
    }
  }

  @Test func `each process has its transaction, in the order of the commits`() throws {
    try withPair { _, a, b in
      try write("UPDATE p SET n = 8 WHERE id = 1", to: a)
      try a.store.write { try $0.execute("UPDATE p SET n = n + 1 WHERE id = 1") }
      try write("UPDATE p SET n = n + 1 WHERE id = 1", to: a)
      #expect(try a.synchronize().published.transactions == 3)
      try expectEqual(a, b)
      #expect(try b.rows("SELECT n FROM p WHERE id = 1") == ["10.0"])
    }
  }

  @Test func `an import overwrites nothing that is not recorded`() throws {
    try withPair { _, a, b in
      try b.execute("UPDATE p SET n = 100, name = 'of b' WHERE id = 1")
      try b.exchange()
      try write("UPDATE p SET b = 'of a' WHERE id = 1", to: a)
      try expectEqual(a, b)
      #expect(try a.rows("SELECT name, n, b FROM p WHERE id = 1") == ["of b|100.0|of a"])
    }
  }

  @Test func `a rebuild keeps what is not recorded`() throws {
    try withPair { _, a, b in
      try write("INSERT INTO p VALUES (60, 'sixty', 1, 1)", to: a)
      a.store.close()
      _ = try Engine.rebuild(store: a.store.path)
      let again = try SyncSession(store: a.store.path)
      #expect(try again.rows("SELECT name FROM p WHERE id = 60") == ["sixty"])
      // It is captured as before.
      try write("INSERT INTO p VALUES (61, 'later', 1, 1)", to: again)
      try expectEqual(again, b)
    }
  }

  @Test func `rows that a program leaves without their parents are held on every device`() throws {
    try withPair { _, a, b in
      try write(
        "INSERT INTO c VALUES ('d', 1, 99, 'no parent'); DELETE FROM p WHERE id = 2", to: a,
        enforcing: false)
      try expectEqual(a, b)
      #expect(try b.rows("SELECT k FROM c") == ["a", "b"])
      #expect(try b.conflicts().count == 2)
      try write("INSERT INTO p VALUES (99, 'parent', 1, 1)", to: b)
      try expectEqual(a, b)
      #expect(try a.rows("SELECT k FROM c") == ["a", "b", "d"])
    }
  }

  @Test func `a key that a program frees or takes brings held rows back, or holds its own`() throws
  {
    try withPair { _, a, b in
      try write("INSERT INTO p VALUES (20, 'x', 1, 1)", to: a)
      try write("INSERT INTO p VALUES (21, 'x', 2, 2)", to: b)
      try expectEqual(a, b)
      #expect(try a.conflicts().count == 1)
      try write("DELETE FROM p WHERE name = 'x'", to: a)
      try expectEqual(a, b)
      #expect(try a.rows("SELECT count(*) FROM p WHERE name = 'x'") == ["1"])
      #expect(try a.conflicts().isEmpty)
      try write("INSERT INTO p VALUES (30, 'y', 1, 1)", to: a)
      try write("INSERT INTO p VALUES (31, 'y', 2, 2)", to: b)
      try expectEqual(a, b)
      try write(
        "UPDATE p SET name = 'free' WHERE name = 'y'; INSERT INTO p VALUES (40, 'y', 1, 1)", to: b)
      try expectEqual(a, b)
      #expect(try a.rows("SELECT count(*) FROM p WHERE name = 'y'") == ["1"])
    }
  }

  @Test func `policies hold whatever a program writes`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      var request = AttachRequest(
        store: devices.path("a"), container: devices.container, contentName: "C")
      request.migrations = [
        Migration(
          name: "1",
          sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, m INTEGER);"
            + "INSERT INTO t VALUES (1, 10, 10)")
      ]
      request.capture = .triggers
      request.merge = MergeOptions(tables: ["t": TableMerge(columns: ["n": .counter, "m": .max])])
      _ = try Engine.attach(request)
      let a = try SyncSession(store: devices.path("a"))
      try a.exchange()
      let b = try devices.open("b")
      try exchange(a, b)
      try write("UPDATE t SET n = n + 5, m = 3", to: a)
      try b.execute("UPDATE t SET n = n + 1")
      try expectEqual(a, b)
      #expect(try b.rows("SELECT n, m FROM t") == ["16|10"])
      try write("UPDATE t SET n = 'no number'", to: a)
      try expectEqual(a, b)
      #expect(try a.rows("SELECT n, m FROM t") == ["16|10"])
    }
  }

  @Test func `what was written while the triggers were gone is found, recorded and reported`()
    throws
  {
    try withPair { _, a, b in
      let triggers = try a.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
      #expect(triggers.count >= 8)
      for name in triggers { try write("DROP TRIGGER \"\(name)\"", to: a) }
      try write(
        """
        INSERT INTO p VALUES (50, 'fifty', 1, 1); UPDATE p SET n = NULL, name = 'drei' WHERE id = 3;
        DELETE FROM p WHERE id = 2
        """, to: a)
      try b.execute("UPDATE p SET b = 'other' WHERE id = 3")
      try b.exchange()
      #expect(try a.status().findings.contains { $0.contains("not recorded yet") })
      try expectEqual(a, b)
      #expect(
        try b.rows("SELECT * FROM p WHERE id > 1") == ["3|drei|null|other", "50|fifty|1.0|1"])
      #expect(try a.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'") == triggers)
      let finding = try a.status().findings.first { $0.contains("while nothing captured it") }
      #expect(finding?.contains("tables c, p") == true)
      #expect(
        try a.diagnose().contains {
          $0.code == .foreignWrites && $0.severity == .warning
        })
      // From now on they are captured again.
      try write("DELETE FROM p WHERE id = 50", to: a)
      try expectEqual(a, b)
    }
  }

  @Test func `tables and columns that a program adds are captured too`() throws {
    try withPair { _, a, _ in
      try write(
        """
        CREATE TABLE q (id INTEGER PRIMARY KEY, x); INSERT INTO q VALUES (1, 2), (3, 4);
        ALTER TABLE p ADD COLUMN more TEXT DEFAULT 'd'; UPDATE p SET more = 'e' WHERE id = 1
        """, to: a)
      try a.store.recordForeignWrites()
      let before = try a.status().findings
      #expect(before.contains { $0.contains("another program has made table q;") })
      #expect(before.contains { $0.contains("another program has added columns to table p;") })
      try a.exchange()
      #expect(try a.status().findings.contains { $0.contains("; nothing needs to be done") })
      #expect(try Engine.verify(store: a.store.path).differences.isEmpty)
      try write("INSERT INTO q VALUES (9, 9); UPDATE p SET more = 'f' WHERE id = 2", to: a)
      #expect(try a.synchronize().published.transactions == 1)
      #expect(try Engine.verify(store: a.store.path).differences.isEmpty)
    }
  }

  @Test func `a table that a program builds anew keeps its rows and its capture`() throws {
    try withPair { _, a, b in
      try write(
        """
        BEGIN;
        CREATE TABLE new_c (
          k TEXT COLLATE NOCASE, s INTEGER, p INTEGER REFERENCES p (id) ON DELETE CASCADE, v TEXT,
          PRIMARY KEY (k, s)
        ) WITHOUT ROWID;
        INSERT INTO new_c SELECT * FROM c; DROP TABLE c; ALTER TABLE new_c RENAME TO c;
        UPDATE c SET v = 'changed' WHERE k = 'b';
        COMMIT
        """, to: a, enforcing: false)
      try a.store.recordForeignWrites()
      #expect(
        try a.status().findings.contains { $0.contains("another program has built table c anew;") })
      try expectEqual(a, b)
      #expect(
        try a.status().findings.contains { $0.contains("a program had built the table anew; ") })
      try write("INSERT INTO c VALUES ('z', 1, 1, 'z')", to: a)
      try expectEqual(a, b)
      #expect(try b.rows("SELECT k, v FROM c") == ["a|x", "b|changed", "c|z", "z|z"])
    }
  }

  @Test func `detaching leaves nothing of the capture behind`() throws {
    try withPair { devices, a, b in
      try write("INSERT INTO p VALUES (5, 'five', 1, 1)", to: a)
      a.store.close()
      try Engine.detach(store: a.store.path, removeLogs: false)
      // It was published before.
      try b.exchange()
      #expect(try b.rows("SELECT name FROM p WHERE id = 5") == ["five"])
      let connection = try Connection(path: devices.path("a"), mode: .readWrite)
      #expect(
        try connection.integer(
          "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'tributary%' OR sql LIKE '%tributary%'"
        )
          == 0)
    }
  }

  @Test func `the schema that others get has nothing of the capture`() throws {
    try withPair { devices, a, _ in
      let c = try devices.open("c")
      try exchange(a, c)
      #expect(try c.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'").isEmpty)
      #expect(try c.store.digest().total == a.store.digest().total)
    }
  }

  @Test func `many rows of one program are one transaction, in bounded memory`() throws {
    try withPair("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)") { _, a, b in
      try write(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
        INSERT INTO t SELECT i, printf('%0100d', i) FROM n
        """, to: a)
      #expect(try a.synchronize().published.transactions == 1)
      try expectEqual(a, b)
      #expect(try b.rows("SELECT count(*) FROM t") == ["60000"])
    }
  }
}
