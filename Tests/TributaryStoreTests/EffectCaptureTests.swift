import Testing
import TributaryCore
import TributarySQLite
import TributaryStore

/// What SQLite does by itself is recorded where it happened.
struct EffectCaptureTests {
  @Test func `the effects of triggers are recorded`() throws {
    try withStore(
      """
      CREATE TABLE t (k INTEGER PRIMARY KEY, a, n DEFAULT 0);
      CREATE TABLE log (k INTEGER PRIMARY KEY AUTOINCREMENT, what);
      CREATE VIEW v AS SELECT k, a FROM t;
      CREATE TRIGGER ti AFTER INSERT ON t BEGIN
        INSERT INTO log (what) VALUES ('insert ' || new.k);
        UPDATE t SET n = n + 1 WHERE k = new.k;
      END;
      CREATE TRIGGER tu BEFORE UPDATE OF a ON t BEGIN DELETE FROM log WHERE k = 1; END;
      CREATE TRIGGER td AFTER DELETE ON t BEGIN INSERT INTO log (what) VALUES ('delete'); END;
      CREATE TRIGGER vi INSTEAD OF INSERT ON v BEGIN
        INSERT INTO t (k, a) VALUES (new.k * 10, new.a);
      END;
      """
    ) { store in
      try store.expect(
        "INSERT INTO t (k, a) VALUES (1, 'a')",
        ["insert log (1) k = 1, what = 'insert 1'", "insert t (1) a = 'a', k = 1, n = 1"])
      try store.expect("UPDATE t SET a = 'a'", ["delete log (1)"])
      try store.expect(
        "INSERT INTO v VALUES (2, 'b')",
        ["insert log (2) k = 2, what = 'insert 20'", "insert t (20) a = 'b', k = 20, n = 1"])
      try store.expect(
        "DELETE FROM t WHERE k = 20", ["delete t (20)", "insert log (3) k = 3, what = 'delete'"])
    }
  }

  @Test func `what a trigger prevents is not recorded`() throws {
    try withStore(
      """
      CREATE TABLE t (k INTEGER PRIMARY KEY, a);
      CREATE TABLE o (k INTEGER PRIMARY KEY, a);
      CREATE TRIGGER ti BEFORE INSERT ON t BEGIN
        SELECT raise(IGNORE) WHERE new.a = 'ignore';
        SELECT raise(ABORT, 'no') WHERE new.a = 'abort';
        SELECT raise(FAIL, 'no') WHERE new.a = 'fail';
      END;
      CREATE TRIGGER ta AFTER INSERT ON t WHEN new.a = 'late' BEGIN
        INSERT INTO o VALUES (new.k, 'side');
        SELECT raise(FAIL, 'no');
      END;
      """
    ) { store in
      try store.expect(
        "INSERT INTO t VALUES (1, 'x'), (2, 'ignore'), (3, 'y')",
        ["insert t (1) a = 'x', k = 1", "insert t (3) a = 'y', k = 3"])
      try store.expect(["insert t (6) a = 'x', k = 6"]) { database in
        try database.expectViolations("INSERT INTO t VALUES (4, 'x'), (5, 'abort')")
        try database.expectViolations("INSERT INTO t VALUES (6, 'x'), (7, 'fail'), (8, 'x')")
      }
      try store.expect(["insert o (9) a = 'side', k = 9", "insert t (9) a = 'late', k = 9"]) {
        database in
        try database.expectViolations("INSERT INTO t VALUES (9, 'late'), (10, 'x')")
      }
    }
  }

  @Test func `what foreign keys do to children is recorded`() throws {
    try withStore(
      """
      CREATE TABLE p (k INTEGER PRIMARY KEY, a);
      CREATE TABLE c (k INTEGER PRIMARY KEY, p REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE);
      CREATE TABLE n (k INTEGER PRIMARY KEY, p REFERENCES p ON DELETE SET NULL);
      CREATE TABLE d (k INTEGER PRIMARY KEY, p DEFAULT 9 REFERENCES p ON DELETE SET DEFAULT);
      INSERT INTO p VALUES (1, 1), (2, 2), (9, 9);
      INSERT INTO c VALUES (10, 1), (11, 1), (12, 2);
      INSERT INTO n VALUES (20, 1); INSERT INTO d VALUES (30, 1);
      """
    ) { store in
      try store.expect(
        "DELETE FROM p WHERE k = 1",
        [
          "delete c (10)", "delete c (11)", "delete p (1)", "update d (30) p = 9",
          "update n (20) p = NULL",
        ])
      try store.expect(
        "UPDATE p SET k = 5 WHERE k = 2",
        ["delete p (2)", "insert p (5) a = 2, k = 5", "update c (12) p = 5"])
      try store.expectFailure("INSERT INTO c VALUES (13, 77)", "FOREIGN KEY")
      try store.expect([]) { database in
        try database.expectViolations("UPDATE c SET p = 78 WHERE k = 12")
      }
    }
  }

  @Test func `tables that are left out are not recorded`() throws {
    try withStore(
      "CREATE TABLE t (k INTEGER PRIMARY KEY); CREATE TABLE cache (x)",
      selection: .except(["CACHE"])
    ) { store in
      try store.expect("INSERT INTO cache VALUES (1)", [])
      try store.expect(
        "INSERT INTO t VALUES (1); INSERT INTO cache VALUES (2)", ["insert t (1) k = 1"])
    }
  }

  @Test func `temporary tables are not recorded, not even under the name of another`() throws {
    try withStore("CREATE TABLE t (k INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1)") {
      store in
      try store.expect(
        """
        CREATE TEMP TABLE t (k INTEGER PRIMARY KEY, a);
        INSERT INTO temp.t VALUES (7, 7);
        INSERT INTO main.t VALUES (2, 2);
        """, ["insert t (2) a = 2, k = 2"])
      try store.expect("UPDATE temp.t SET a = 8; DELETE FROM temp.t", [])
      try store.expect("UPDATE main.t SET a = 8 WHERE k = 1", ["update t (1) a = 8"])
      try store.expect("DROP TABLE temp.t", [])
      try store.expect("UPDATE t SET a = 9 WHERE k = 1", ["update t (1) a = 9"])
    }
  }

  @Test func `virtual tables and what lies behind them are not recorded`() throws {
    try withStore(
      """
      CREATE TABLE t (k INTEGER PRIMARY KEY, a);
      CREATE VIRTUAL TABLE f USING fts5(a, content = 't', content_rowid = 'k');
      CREATE TRIGGER ti AFTER INSERT ON t BEGIN
        INSERT INTO f (rowid, a) VALUES (new.k, new.a);
      END;
      """
    ) { store in
      try store.expect("INSERT INTO t VALUES (1, 'word')", ["insert t (1) a = 'word', k = 1"])
      try store.expectRows("SELECT rowid FROM f WHERE f MATCH 'word'", ["1"])
    }
  }
}
