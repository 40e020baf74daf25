import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributaryTesting

/// Tables that change while they are written.
struct SchemaCaptureTests {
  @Test func `a table made within the transaction is recorded from its first row`() throws {
    try withStore("CREATE TABLE t (k INTEGER PRIMARY KEY)") { store in
      store.forgetHistory()
      try store.expect(
        """
        INSERT INTO t VALUES (1);
        CREATE TABLE new (k INTEGER PRIMARY KEY, a);
        INSERT INTO new VALUES (1, 'x'); INSERT INTO t VALUES (2);
        """, ["insert new (1) a = 'x', k = 1", "insert t (1) k = 1", "insert t (2) k = 2"])
      try store.expect("UPDATE new SET a = 'y'", ["update new (1) a = 'y'"])
      try store.expect(
        "SAVEPOINT s; CREATE TABLE gone (k INTEGER PRIMARY KEY); INSERT INTO gone VALUES (1); ROLLBACK TO s; INSERT INTO t VALUES (3)",
        ["insert t (3) k = 3"])
    }
  }

  @Test func `an added column has its default in old rows, and NULL when it is set`() throws {
    try withStore(
      "CREATE TABLE t (k INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'a'), (2, 'b')"
    ) {
      store in
      store.forgetHistory()
      try store.expect("ALTER TABLE t ADD COLUMN c DEFAULT 5", [])
      try store.expect("UPDATE t SET a = 'x' WHERE k = 1", ["update t (1) a = 'x'"])
      try store.expect("UPDATE t SET c = NULL WHERE k = 2", ["update t (2) c = NULL"])
      try store.expect("UPDATE t SET c = 5 WHERE k = 2", ["update t (2) c = 5"])
      try store.expect("UPDATE t SET c = 5 WHERE k = 1", [])
    }
  }

  @Test func `an added column that must not be NULL has its default in old rows`() throws {
    try withStore("CREATE TABLE t (k INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'a')") {
      store in
      store.forgetHistory()
      try store.expect("ALTER TABLE t ADD COLUMN c INTEGER NOT NULL DEFAULT 5", [])
      try store.expect("UPDATE t SET a = 'x'", ["update t (1) a = 'x'"])
      try store.expect("UPDATE t SET c = 6", ["update t (1) c = 6"])
    }
    // The same where the column came before the store did.
    try withStore(
      """
      CREATE TABLE t (k INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'a');
      ALTER TABLE t ADD COLUMN c INTEGER NOT NULL DEFAULT 5; ALTER TABLE t ADD COLUMN d DEFAULT 1
      """
    ) { store in
      try store.expect("UPDATE t SET a = 'x'", ["update t (1) a = 'x'"])
      try store.expect("UPDATE t SET d = NULL", ["update t (1) d = NULL"])
    }
  }

  @Test func `an added column is recorded within its own transaction`() throws {
    try withStore(
      "CREATE TABLE t (k INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'a'), (2, 'b')"
    ) {
      store in
      store.forgetHistory()
      try store.expect(
        "ALTER TABLE t ADD COLUMN c DEFAULT 5; UPDATE t SET c = 6 WHERE k = 1",
        ["update t (1) c = 6"])
      try store.expect(
        "UPDATE t SET a = 'z' WHERE k = 2; ALTER TABLE t ADD COLUMN d; UPDATE t SET d = 'd' WHERE k = 2",
        ["insert t (2) a = 'z', c = 5, d = 'd', k = 2"])
    }
  }

  @Test func `tables and columns that logs name may not be renamed or dropped`() throws {
    try withStore("CREATE TABLE t (k INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (1, 2, 3)") {
      store in
      store.forgetHistory()
      for (sql, gone) in [
        ("ALTER TABLE t RENAME COLUMN a TO z", "column a of table t"),
        ("ALTER TABLE t DROP COLUMN b", "column b of table t"),
        ("ALTER TABLE t RENAME TO s", "table t"), ("DROP TABLE t", "table t"),
      ] {
        try store.expectFailure(sql, gone)
      }
      try store.expect("UPDATE t SET a = 9", ["update t (1) a = 9"])
    }
  }

  @Test(arguments: [
    ("DROP TABLE t; CREATE TABLE t (k INTEGER PRIMARY KEY, a, b)", "table t"),
    ("DROP TABLE IF EXISTS t; CREATE TABLE t (k INTEGER PRIMARY KEY, x)", "table t"),
    ("DROP TABLE t; CREATE VIEW t AS SELECT 1", "table t"),
    ("ALTER TABLE t RENAME TO s; CREATE TABLE t (k INTEGER PRIMARY KEY, a, b)", "table t"),
    ("ALTER TABLE t DROP COLUMN b; ALTER TABLE t ADD COLUMN b DEFAULT 4", "column b of table t"),
    (
      "ALTER TABLE t RENAME a TO z; ALTER TABLE t RENAME b TO a; ALTER TABLE t RENAME z TO b",
      "column a of table t"
    ),
    (
      "CREATE TABLE n (k INTEGER PRIMARY KEY); INSERT INTO n VALUES (1); DROP TABLE n; CREATE TABLE n (k INTEGER PRIMARY KEY)",
      "table n"
    ),
    (
      "SAVEPOINT s; DROP TABLE t; CREATE TABLE t (k INTEGER PRIMARY KEY, a, b); RELEASE s",
      "table t"
    ),
    ("DELETE FROM t; DROP TABLE t; CREATE TABLE t (k INTEGER PRIMARY KEY, a, b)", "table t"),
  ])
  func `a table that is made anew under its name is another one`(sql: String, gone: String) throws {
    try withStore("CREATE TABLE t (k INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (1, 2, 3)") {
      store in
      store.forgetHistory()
      try store.expectFailure(sql, "\(gone) would be dropped or renamed, but the logs name it")
      try store.expectRows("SELECT * FROM t", ["1, 2, 3"])
      try store.expect(
        "SAVEPOINT s; DROP TABLE t; CREATE TABLE t (x PRIMARY KEY); ROLLBACK TO s; UPDATE t SET a = 9",
        ["update t (1) a = 9"])
      try store.expect(
        "CREATE TABLE n (k PRIMARY KEY); DROP TABLE n; CREATE TABLE n (x PRIMARY KEY)", [])
    }
  }

  @Test func `a table that no log names may be dropped`() throws {
    try withStore("CREATE TABLE t (k INTEGER PRIMARY KEY); CREATE TABLE s (k INTEGER PRIMARY KEY)")
    {
      store in
      store.forgetHistory()
      try store.expect("DROP TABLE t; INSERT INTO s VALUES (1)", ["insert s (1) k = 1"])
    }
  }

  @Test func `a table that is written may not go in the same transaction`() throws {
    try withStore("CREATE TABLE s (k INTEGER PRIMARY KEY)") { store in
      store.forgetHistory()
      let make = "CREATE TABLE t (k INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 2); "
      try store.expectFailure(make + "DROP TABLE t", "table t")
      try store.expectFailure(make + "ALTER TABLE t RENAME TO u", "table t")
      try store.expectFailure(make + "ALTER TABLE t RENAME COLUMN a TO b", "column a of table t")
      try store.expect(make + "ALTER TABLE t ADD COLUMN b", ["insert t (1) a = 2, k = 1"])
    }
  }

  @Test func `a table that cannot be replicated is refused when it is written, by its name`() throws
  {
    try withStore("CREATE TABLE t (k INTEGER PRIMARY KEY)") { store in
      store.forgetHistory()
      try store.expectFailure(
        "CREATE TABLE odd (oid, rowid, _rowid_); INSERT INTO odd VALUES (1, 2, 3)",
        "table odd has no PRIMARY KEY, and columns with all the names of its row identifier")
      try store.expect(
        "CREATE TABLE other (oid, _rowid_); INSERT INTO other VALUES (1, 2)",
        ["insert other (1) _rowid_ = 2, oid = 1, rowid = 1"])
    }
  }

  @Test func `rows with which a table is made are recorded`() throws {
    try withStore("CREATE TABLE t (k INTEGER PRIMARY KEY)") { store in
      store.forgetHistory()
      try store.expect(
        "CREATE TABLE copy AS SELECT 1 AS a UNION ALL SELECT 5; INSERT INTO copy VALUES (2)",
        [
          "insert copy (1) _rowid_ = 1, a = 1", "insert copy (2) _rowid_ = 2, a = 5",
          "insert copy (3) _rowid_ = 3, a = 2",
        ])
      try store.expect(
        "CREATE TABLE two AS SELECT 1 AS a UNION ALL SELECT 2; DELETE FROM two WHERE a = 1",
        // What is said of a row that was never there is harmless.
        ["delete two (1)", "insert two (2) _rowid_ = 2, a = 2"])
      try store.expect(
        "SAVEPOINT s; CREATE TABLE c AS SELECT 1 AS a; ROLLBACK TO s; INSERT INTO t VALUES (1)",
        ["insert t (1) k = 1"])
    }
  }

  @Test func `a write to an unusable table may be taken back, and the refusal names its table`()
    throws
  {
    try withStore("CREATE TABLE t (k INTEGER PRIMARY KEY)") { store in
      store.forgetHistory()
      try store.expect(
        """
        CREATE TABLE first (x, oid, rowid, _rowid_);
        CREATE TABLE second (x, oid, rowid, _rowid_); CREATE TABLE w (k TEXT PRIMARY KEY);
        INSERT INTO t VALUES (1)
        """, ["insert t (1) k = 1"])
      try store.expectFailure(
        "INSERT INTO t VALUES (2); INSERT INTO second (x) VALUES (1)",
        "table second has no PRIMARY KEY")
      try store.expect(
        """
        INSERT INTO t VALUES (2); SAVEPOINT s; INSERT INTO second (x) VALUES (1);
        ROLLBACK TO s; RELEASE s
        """, ["insert t (2) k = 2"])
      // One that was taken back does not hide another.
      try store.expectFailure(
        "INSERT INTO w VALUES (NULL); DELETE FROM w; INSERT INTO second (x) VALUES (1)",
        "table second has no PRIMARY KEY")
      try store.expectFailure(
        """
        INSERT INTO first (x) VALUES (1); SAVEPOINT s; INSERT INTO second (x) VALUES (1);
        ROLLBACK TO s; RELEASE s
        """, "table first has no PRIMARY KEY")
    }
  }

  @Test func `what cannot be replicated is refused when it is attached, by its name`() throws {
    for (script, message) in [
      (
        "CREATE TABLE odd (oid, rowid, _rowid_)",
        "table odd has no PRIMARY KEY, and columns with all the names of its row identifier"
      ),
      (
        "CREATE TABLE n (k TEXT PRIMARY KEY); INSERT INTO n VALUES (NULL)",
        "table n has NULL in k, a column of its primary key"
      ),
      (
        "CREATE TABLE r (x REAL, y, k PRIMARY KEY) WITHOUT ROWID",
        "table r is WITHOUT ROWID and has a REAL column before its key"
      ),
      (
        "CREATE TABLE g (v AS (a), k INTEGER PRIMARY KEY, a)",
        "table g has a virtual column before its INTEGER PRIMARY KEY"
      ),
      (
        "CREATE TABLE g (v AS (k), x REAL, k INT PRIMARY KEY)",
        "table g has a virtual and a REAL column before its key"
      ),
    ] {
      try withTemporaryDirectory { directory in
        var shown = ""
        do { _ = try Recorder(script, in: directory) } catch { shown = "\(error)" }
        #expect(shown.contains(message))
        // The database is as it was.
        let connection = try Connection(path: "\(directory)/store.db", mode: .readWrite)
        let count = try connection.integer(
          "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'tributary%'")
        #expect(count == 0)
      }
    }
  }

  @Test func `equal contents have equal digests, whatever way they came about`() throws {
    let script = """
      CREATE TABLE t (k TEXT COLLATE NOCASE, a, PRIMARY KEY (k COLLATE BINARY));
      CREATE TABLE u (k INTEGER PRIMARY KEY, r REAL);
      """
    var digests: Set<String> = []
    for order in [["'a'", "'A'", "'b'"], ["'b'", "'A'", "'a'"], ["'A'", "'a'", "'b'"]] {
      try withStore(script) { store in
        for key in order { _ = try store.write("INSERT INTO t VALUES (\(key), 1)") }
        _ = try store.write("INSERT INTO u VALUES (2, 2), (1, 1); UPDATE u SET r = 3")
        digests.insert(try store.store.digest().total)
      }
    }
    #expect(digests.count == 1)
  }
}
