import Testing
import TributaryCore
import TributaryStore

/// Every way of changing rows is recorded as its net effect.
struct RowCaptureTests {
  static let table = """
    CREATE TABLE t (k INTEGER PRIMARY KEY, a, b);
    INSERT INTO t VALUES (1, 'a', 'b'), (2, 'c', 'd');
    """

  static let unique = """
    CREATE TABLE u (k INTEGER PRIMARY KEY, a UNIQUE, b);
    INSERT INTO u VALUES (1, 'x', 1), (2, 'y', 2);
    """

  @Test func `an insert is recorded with all columns`() throws {
    try withStore(Self.table) { store in
      try store.expect(
        "INSERT INTO t (k, b) VALUES (3, x'00ff')", ["insert t (3) a = NULL, b = x'00ff', k = 3"])
      try store.expect(
        "INSERT INTO t (a) SELECT a || '!' FROM t WHERE k < 3",
        [
          "insert t (4) a = 'a!', b = NULL, k = 4", "insert t (5) a = 'c!', b = NULL, k = 5",
        ])
    }
  }

  @Test func `a replaced row is recorded as a whole`() throws {
    try withStore(Self.table) { store in
      try store.expect(
        "INSERT OR REPLACE INTO t VALUES (1, 'a', 'B')", ["replace t (1) a = 'a', b = 'B', k = 1"])
      try store.expect("REPLACE INTO t VALUES (1, 'a', 'B')", [])
    }
  }

  @Test func `a row replaced for a UNIQUE value of another is deleted`() throws {
    try withStore(Self.unique) { store in
      try store.expect(
        "INSERT OR REPLACE INTO u VALUES (3, 'x', 3)",
        ["delete u (1)", "insert u (3) a = 'x', b = 3, k = 3"])
      try store.expect(
        "REPLACE INTO u VALUES (3, 'y', 4)",
        ["delete u (2)", "replace u (3) a = 'y', b = 4, k = 3"])
      _ = try store.write("INSERT INTO u VALUES (9, 'z', 9)")
      try store.expect(
        "UPDATE OR REPLACE u SET a = 'y' WHERE k = 9", ["delete u (3)", "update u (9) a = 'y'"])
    }
  }

  @Test func `rows left out by OR IGNORE are not recorded`() throws {
    try withStore(Self.unique) { store in
      try store.expect(
        "INSERT OR IGNORE INTO u VALUES (1, 'p', 0), (3, 'x', 0), (4, 'q', 0)",
        ["insert u (4) a = 'q', b = 0, k = 4"])
      try store.expect("INSERT OR IGNORE INTO u VALUES (1, 'p', 0)", [])
      try store.expect("UPDATE OR IGNORE u SET a = 'x' WHERE k = 2", [])
    }
  }

  @Test func `an upsert is an insert or an update of the changed columns`() throws {
    try withStore(Self.table) { store in
      try store.expect(
        """
        INSERT INTO t VALUES (2, 'c', 'new'), (3, 'x', 'y')
        ON CONFLICT (k) DO UPDATE SET a = excluded.a, b = excluded.b
        """, ["insert t (3) a = 'x', b = 'y', k = 3", "update t (2) b = 'new'"])
      try store.expect("INSERT INTO t VALUES (2, 1, 1) ON CONFLICT DO NOTHING", [])
      try store.expect(
        "INSERT INTO t VALUES (2, 1, 1) ON CONFLICT (k) DO UPDATE SET k = 7 RETURNING k",
        ["delete t (2)", "insert t (7) a = 'c', b = 'new', k = 7"])
    }
  }

  @Test func `an update is recorded with the columns that differ`() throws {
    try withStore(Self.table) { store in
      try store.expect("UPDATE t SET a = 'c', b = 'd'", ["update t (1) a = 'c', b = 'd'"])
      try store.expect("UPDATE t SET a = a, b = 'd', k = k", [])
      try store.expect(
        "UPDATE t SET a = s.x FROM (SELECT 2 AS k, 'f' AS x) AS s WHERE t.k = s.k",
        ["update t (2) a = 'f'"])
    }
  }

  @Test func `a changed key is a delete and an insert`() throws {
    try withStore(Self.table) { store in
      try store.expect(
        "UPDATE t SET k = 5 WHERE k = 1", ["delete t (1)", "insert t (5) a = 'a', b = 'b', k = 5"])
      try store.expect(
        "UPDATE t SET k = k + 10",
        [
          "delete t (2)", "delete t (5)", "insert t (12) a = 'c', b = 'd', k = 12",
          "insert t (15) a = 'a', b = 'b', k = 15",
        ])
    }
  }

  @Test func `two rows that swap their keys are replaced`() throws {
    try withStore(Self.table) { store in
      try store.expect(
        """
        UPDATE t SET k = 0 WHERE k = 1; UPDATE t SET k = 1 WHERE k = 2;
        UPDATE t SET k = 2 WHERE k = 0
        """, ["replace t (1) a = 'c', b = 'd', k = 1", "replace t (2) a = 'a', b = 'b', k = 2"])
    }
  }

  @Test func `a key moved away and back is nothing`() throws {
    try withStore(Self.table) { store in
      try store.expect("UPDATE t SET k = 9 WHERE k = 1; UPDATE t SET k = 1 WHERE k = 9", [])
    }
  }

  @Test func `a key spelled otherwise is recorded with the whole row`() throws {
    try withStore(
      "CREATE TABLE n (k TEXT COLLATE NOCASE PRIMARY KEY, a); INSERT INTO n VALUES ('a', 1)"
    ) { store in
      try store.expect("UPDATE n SET k = 'A'", ["replace n ('A') a = 1, k = 'A'"])
      try store.expect("UPDATE n SET k = 'a'; UPDATE n SET k = 'A'", [])
      try store.expect("REPLACE INTO n VALUES ('a', 1)", ["replace n ('a') a = 1, k = 'a'"])
      try store.expect(
        "UPDATE n SET k = 'A', a = 2; UPDATE n SET k = 'a'", ["replace n ('a') a = 2, k = 'a'"])
      try store.expect("DELETE FROM n WHERE k = 'A'", ["delete n ('a')"])
    }
  }

  @Test func `a delete is recorded with the key`() throws {
    try withStore(Self.table) { store in
      try store.expect("DELETE FROM t WHERE a = 'a'", ["delete t (1)"])
    }
  }

  @Test func `a delete without WHERE records every row`() throws {
    try withStore(Self.table) { store in
      _ = try store.write(
        "WITH n (x) AS (VALUES (3) UNION ALL SELECT x + 1 FROM n WHERE x < 1000) INSERT INTO t (k) SELECT x FROM n"
      )
      let changes = try store.write("DELETE FROM t")
      #expect(changes.count == 1000)
      #expect(changes.allSatisfy { $0.hasPrefix("delete t (") })
      try store.expect(
        "INSERT INTO t VALUES (1, 2, 3); DELETE FROM t; INSERT INTO t (k) VALUES (4)",
        ["insert t (4) a = NULL, b = NULL, k = 4"])
    }
  }

  @Test(arguments: [
    "INSERT INTO t VALUES (3, 1, 1); DELETE FROM t WHERE k = 3",
    "UPDATE t SET a = 1 WHERE k = 1; UPDATE t SET a = 'a' WHERE k = 1",
    "DELETE FROM t WHERE k = 1; INSERT INTO t VALUES (1, 'a', 'b')",
    "REPLACE INTO t VALUES (1, 'a', 'b'); REPLACE INTO t VALUES (1, 'a', 'b')",
    "DELETE FROM t; INSERT INTO t VALUES (2, 'c', 'd'), (1, 'a', 'b')",
    "UPDATE t SET a = a", "UPDATE t SET rowid = rowid", "SELECT * FROM t", "",
    "UPDATE t SET k = 3 WHERE k = 2; DELETE FROM t WHERE k = 3; INSERT INTO t VALUES (2, 'c', 'd')",
  ])
  func `what is left as it was is nothing`(script: String) throws {
    try withStore(Self.table) { store in try store.expect(script, []) }
  }

  @Test func `several changes of one row are one`() throws {
    try withStore(Self.table) { store in
      try store.expect(
        "UPDATE t SET a = 1 WHERE k = 1; UPDATE t SET b = 2 WHERE k = 1",
        ["update t (1) a = 1, b = 2"])
      try store.expect(
        "INSERT INTO t VALUES (7, 1, 1); UPDATE t SET a = 2 WHERE k = 7",
        ["insert t (7) a = 2, b = 1, k = 7"])
      try store.expect(
        "UPDATE t SET a = 9 WHERE k = 7; DELETE FROM t WHERE k = 7", ["delete t (7)"])
      try store.expect(
        "DELETE FROM t WHERE k = 1; INSERT INTO t VALUES (1, 1, 'z')",
        ["replace t (1) a = 1, b = 'z', k = 1"])
    }
  }

  @Test func `tables WITHOUT ROWID are recorded like any`() throws {
    try withStore(
      """
      CREATE TABLE w (b, k2 INT, k1 TEXT, a, PRIMARY KEY (k1, k2)) WITHOUT ROWID;
      INSERT INTO w VALUES ('b', 1, 'x', 'a'), ('d', 2, 'x', 'c');
      """
    ) { store in
      try store.expect(
        "INSERT INTO w VALUES (1, 3, 'y', 2)", ["insert w ('y', 3) a = 2, b = 1, k1 = 'y', k2 = 3"])
      try store.expect("UPDATE w SET a = 5 WHERE k2 = 1", ["update w ('x', 1) a = 5"])
      try store.expect(
        "UPDATE w SET k2 = 9 WHERE k2 = 1",
        ["delete w ('x', 1)", "insert w ('x', 9) a = 5, b = 'b', k1 = 'x', k2 = 9"])
      try store.expect(
        "REPLACE INTO w VALUES (0, 9, 'x', 0)",
        ["replace w ('x', 9) a = 0, b = 0, k1 = 'x', k2 = 9"]
      )
      try store.expect(
        "DELETE FROM w", ["delete w ('x', 2)", "delete w ('x', 9)", "delete w ('y', 3)"])
    }
  }

  @Test func `the row identifier does not matter where it is not the key`() throws {
    try withStore("CREATE TABLE r (k INT PRIMARY KEY, a); INSERT INTO r VALUES (5, 'a')") { store in
      try store.expect("UPDATE r SET rowid = 100", [])
      try store.expect("UPDATE r SET rowid = 7, a = 'b'", ["update r (5) a = 'b'"])
      try store.expect("UPDATE r SET k = 6", ["delete r (5)", "insert r (6) a = 'b', k = 6"])
    }
    try withStore("CREATE TABLE r (k INTEGER PRIMARY KEY DESC, a); INSERT INTO r VALUES (5, 1)") {
      try $0.expect("UPDATE r SET rowid = 100", [])
      try $0.expect("DELETE FROM r", ["delete r (5)"])
    }
  }

  @Test func `keys of several columns are recorded in the order of the key`() throws {
    try withStore(
      "CREATE TABLE c (a, b, c, PRIMARY KEY (c, a)); INSERT INTO c VALUES (1, 2, 3)"
    ) { store in
      try store.expect("UPDATE c SET b = 0", ["update c (3, 1) b = 0"])
      try store.expect(
        "UPDATE c SET a = 4",
        [
          "delete c (3, 1)", "insert c (3, 4) a = 4, b = 0, c = 3",
        ])
      try store.expect("DELETE FROM c", ["delete c (3, 4)"])
    }
  }

  @Test func `names are names, whatever is in them`() throws {
    try withStore(
      #"CREATE TABLE "a ""b' ç" ("k ]" INTEGER PRIMARY KEY, "select" TEXT, [x"y]);"#
    ) { store in
      try store.expect(
        #"INSERT INTO "a ""b' ç" VALUES (1, 'x', 2)"#,
        [#"insert a "b' ç (1) k ] = 1, select = 'x', x"y = 2"#])
    }
  }
}
