import Testing
import TributaryCore
import TributarySQLite
import TributaryStore

/// What fails or is taken back leaves exactly what SQLite leaves.
struct FailureCaptureTests {
  static let table = """
    CREATE TABLE t (k INTEGER PRIMARY KEY, a UNIQUE, b NOT NULL DEFAULT 'd' CHECK (b <> 'bad'));
    INSERT INTO t VALUES (1, 'a', 'b'), (5, 'e', 'f');
    """

  @Test func `a statement that aborts half-way leaves nothing`() throws {
    try withStore(Self.table) { store in
      try store.expect(["delete t (5)", "replace t (1) a = 'a', b = 'z', k = 1"]) { database in
        try database.expectViolations(
          "INSERT INTO t VALUES (2, 'b', 'b'), (3, 'a', 'b')",
          "UPDATE t SET a = 'same'", "INSERT INTO t VALUES (4, 'd', 'bad')",
          "INSERT INTO t VALUES (6, 'g', NULL)",
          "DELETE FROM t; INSERT INTO t VALUES (1, 1, NULL)")
        try database.execute("INSERT INTO t VALUES (1, 'a', 'z')")
      }
    }
  }

  @Test func `rows before the failure of OR FAIL stay`() throws {
    try withStore(Self.table) { store in
      try store.expect(["insert t (2) a = 'b', b = 'y', k = 2"]) { database in
        try database.expectViolations(
          "INSERT OR FAIL INTO t VALUES (2, 'b', 'x'), (3, 'a', 'x'), (4, 'd', 'x')",
          "UPDATE OR FAIL t SET b = 'y', a = CASE k WHEN 5 THEN 'a' ELSE a END WHERE k IN (2, 5)")
      }
      try store.expectRows("SELECT k FROM t", ["1", "2", "5"])
    }
  }

  @Test func `a statement that rolls everything back leaves nothing`() throws {
    try withStore(Self.table) { store in
      let message = try store.failure { database in
        try database.execute("INSERT INTO t VALUES (2, 'b', 'b')")
        try database.expectViolations("INSERT OR ROLLBACK INTO t VALUES (3, 'a', 'b')")
      }
      #expect(message.contains("rolled the transaction back"))
      let another = try store.failure { database in
        try database.expectViolations("INSERT OR ROLLBACK INTO t VALUES (3, 'a', 'b')")
        try database.execute("INSERT INTO t VALUES (2, 'b', 'b')")
      }
      #expect(another.contains("rolled the transaction back"))
      try store.expect(
        "INSERT INTO t VALUES (3, 'c', 'b')", ["insert t (3) a = 'c', b = 'b', k = 3"])
    }
  }

  @Test func `a closure that throws leaves nothing`() throws {
    struct Changed: Error {}
    try withStore(Self.table) { store in
      for _ in 0..<3 {
        let message = try store.failure { database in
          try database.execute("DELETE FROM t; INSERT INTO t (k) VALUES (9)")
          throw Changed()
        }
        #expect(message == "Changed()")
      }
      // Sequences have no gaps.
      let last = try store.last()
      try store.expect("DELETE FROM t WHERE k = 1", ["delete t (1)"])
      let now = try store.last()
      #expect(now == last.next)
    }
  }

  @Test func `savepoints within savepoints count as SQLite counts them`() throws {
    try withStore(Self.table) { store in
      try store.expect(
        """
        INSERT INTO t (k) VALUES (10);
        SAVEPOINT one; INSERT INTO t (k) VALUES (11);
          SAVEPOINT two; INSERT INTO t (k) VALUES (12); UPDATE t SET b = 'x' WHERE k = 10;
          ROLLBACK TO two; INSERT INTO t (k) VALUES (13);
          RELEASE two;
          SAVEPOINT two; DELETE FROM t WHERE k = 1; RELEASE two;
        ROLLBACK TO ONE; INSERT INTO t (k) VALUES (14);
        RELEASE One;
        SAVEPOINT one; INSERT INTO t (k) VALUES (15);
          SAVEPOINT one; INSERT INTO t (k) VALUES (16); ROLLBACK TO one; RELEASE one;
        RELEASE one;
        """,
        [
          "insert t (10) a = NULL, b = 'd', k = 10", "insert t (14) a = NULL, b = 'd', k = 14",
          "insert t (15) a = NULL, b = 'd', k = 15",
        ])
      try store.expect("SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; RELEASE s", [])
    }
  }

  @Test func `a failure within a savepoint, and the savepoint taken back`() throws {
    try withStore(Self.table) { store in
      try store.expect(["insert t (4) a = 'q', b = 'q', k = 4", "update t (1) b = 'n'"]) {
        database in
        try database.execute("UPDATE t SET b = 'n' WHERE k = 1; SAVEPOINT s")
        try database.expectViolations("INSERT INTO t VALUES (2, 'q', 'q'), (1, 'r', 'r')")
        try database.execute("INSERT INTO t VALUES (2, 'q', 'q'); ROLLBACK TO s")
        try database.expectViolations("INSERT INTO t VALUES (3, 'q', 'q'), (1, 'r', 'r')")
        try database.execute("INSERT INTO t VALUES (4, 'q', 'q'); RELEASE s")
      }
    }
  }

  @Test func `BEGIN, COMMIT and ROLLBACK belong to the write`() throws {
    try withStore(Self.table) { store in
      for statement in ["BEGIN", "COMMIT", "END", "ROLLBACK", "BEGIN IMMEDIATE"] {
        try store.expectFailure(statement, "use SAVEPOINT")
      }
    }
  }

  @Test func `the bookkeeping is not for writing`() throws {
    try withStore(Self.table) { store in
      for statement in [
        "DELETE FROM tributary_outbox", "UPDATE tributary_store SET value = 1",
        "INSERT INTO tributary_peer VALUES (1, x'', 1, 1)", "DROP TABLE tributary_outbox",
        "ALTER TABLE tributary_outbox ADD COLUMN x",
        "CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM tributary_outbox; END; INSERT INTO t (k) VALUES (77)",
      ] {
        try store.expectFailure(statement, "bookkeeping of Tributary")
      }
    }
  }

  @Test func `NULL in a primary key is refused, and the table is named`() throws {
    try withStore(
      "CREATE TABLE n (k TEXT PRIMARY KEY, a); CREATE TABLE m (k, l, PRIMARY KEY (k, l))"
    ) {
      store in
      try store.expectFailure("INSERT INTO n VALUES (NULL, 1)", "table n has NULL")
      try store.expectFailure("INSERT INTO m VALUES (1, NULL)", "table m has NULL")
      _ = try store.write("INSERT INTO n VALUES ('x', 1)")
      try store.expectFailure("UPDATE n SET k = NULL", "table n has NULL")
    }
  }

  @Test func `NULL in a primary key that was taken back is forgiven`() throws {
    try withStore("CREATE TABLE n (k TEXT PRIMARY KEY, a UNIQUE)") { store in
      try store.expect(
        """
        INSERT INTO n VALUES ('x', 1);
        SAVEPOINT s; INSERT INTO n VALUES (NULL, 2); ROLLBACK TO s; RELEASE s
        """, ["insert n ('x') a = 1, k = 'x'"])
      try store.expect(["insert n ('z') a = 3, k = 'z'"]) { database in
        try database.expectViolations("INSERT INTO n VALUES (NULL, 3), ('y', 1)")
        try database.execute("INSERT INTO n VALUES ('z', 3)")
      }
    }
  }
}
