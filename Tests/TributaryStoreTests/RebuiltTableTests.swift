import Testing
import TributaryCore
import TributaryStore
import TributaryTesting

/// Tables that are built anew under their name, as SQLite advises for what ALTER TABLE cannot do.
struct RebuiltTableTests {
  private static let table =
    "CREATE TABLE t (k INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (1, 'x', 2), (2, 'y', '3')"

  @Test(arguments: [
    """
    CREATE TABLE n (k INTEGER PRIMARY KEY, a, b, c DEFAULT 1); INSERT INTO n (k, a, b) SELECT * FROM t;
    DROP TABLE t; ALTER TABLE n RENAME TO t
    """,
    """
    ALTER TABLE t RENAME TO o; CREATE TABLE t (b, k INTEGER PRIMARY KEY, a);
    INSERT INTO t SELECT b, k, a FROM o; DROP TABLE o
    """,
    "ALTER TABLE t RENAME TO s; ALTER TABLE s RENAME TO t",
    """
    CREATE TEMP TABLE o AS SELECT * FROM t; DROP TABLE t;
    CREATE TABLE t (k INTEGER PRIMARY KEY, a TEXT, b); INSERT INTO t SELECT * FROM temp.o; DROP TABLE temp.o
    """,
    // What a new type makes of a value, it makes of it on every device.
    """
    CREATE TABLE n (k INTEGER PRIMARY KEY, a, b INTEGER); INSERT INTO n SELECT * FROM t;
    DROP TABLE t; ALTER TABLE n RENAME TO t
    """,
  ])
  func `a table that is built anew with all its rows logs nothing`(script: String) throws {
    try withStore(Self.table) { store in
      store.forgetHistory()
      try store.expect(script, [])
      try store.expect("UPDATE t SET a = 'z' WHERE k = 1", ["update t (1) a = 'z'"])
      try store.expect("DELETE FROM t WHERE k = 2", ["delete t (2)"])
    }
  }

  @Test func `a column keeps its default, which logs imply`() throws {
    try withStore(
      "CREATE TABLE t (k INTEGER PRIMARY KEY, a DEFAULT 10); INSERT INTO t VALUES (1, 2)"
    ) { store in
      func rebuild(_ column: String) -> String {
        """
        CREATE TABLE n (k INTEGER PRIMARY KEY, \(column)); INSERT INTO n SELECT * FROM t;
        DROP TABLE t; ALTER TABLE n RENAME TO t
        """
      }
      for column in ["a DEFAULT 20", "a"] {
        #expect {
          try store.expect(rebuild(column), [])
        } throws: {
          "\($0)".contains("column a of table t would get the default")
            && "\($0)".contains("in place of 10")
        }
      }
      store.forgetHistory()
      try store.expect(rebuild("a TEXT DEFAULT (10)"), [])
    }
  }

  @Test func `what changes while a table is built anew is logged, row by row`() throws {
    try withStore(Self.table) { store in
      store.forgetHistory()
      try store.expect(
        """
        UPDATE t SET a = 'lost' WHERE k = 1;
        CREATE TABLE n (k INTEGER PRIMARY KEY, a, b, c DEFAULT 1);
        INSERT INTO n SELECT k, upper(a), b, k FROM t; INSERT INTO n VALUES (3, 'new', 0, 1);
        DROP TABLE t; ALTER TABLE n RENAME TO t; UPDATE t SET b = 5 WHERE k = 2
        """,
        [
          "insert t (3) a = 'new', b = 0, c = 1, k = 3", "update t (1) a = 'LOST'",
          "update t (2) a = 'Y', b = 5, c = 2",
        ])
      try store.expectRows(
        "SELECT * FROM t", ["1, 'LOST', 2, 1", "2, 'Y', 5, 2", "3, 'new', 0, 1"])
    }
  }

  @Test(arguments: [
    (
      "DROP TABLE t; CREATE TABLE t (k INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (1, 'x', 2)",
      "lacks one of its rows"
    ),
    (
      "CREATE TABLE n (k TEXT PRIMARY KEY, a, b); INSERT INTO n SELECT * FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t",
      "with another key"
    ),
    (
      "CREATE TABLE n (k INTEGER PRIMARY KEY, a); INSERT INTO n SELECT k, a FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t",
      "column b of table t would be dropped or renamed"
    ),
    (
      """
      CREATE TABLE n (k INTEGER PRIMARY KEY, a, b REFERENCES p (id)); INSERT INTO n SELECT * FROM t;
      CREATE TABLE p (id INTEGER PRIMARY KEY); DROP TABLE t; ALTER TABLE n RENAME TO t
      """, "FOREIGN KEY constraint failed"
    ),
  ])
  func `a table that is built anew without its rows, its key or a column is refused`(
    script: String, reason: String
  ) throws {
    try withStore(Self.table) { store in
      store.forgetHistory()
      try store.expectFailure(script, reason)
      try store.expectRows("SELECT * FROM t", ["1, 'x', 2", "2, 'y', '3'"])
      try store.expect("UPDATE t SET a = 'z' WHERE k = 1", ["update t (1) a = 'z'"])
    }
  }
}
