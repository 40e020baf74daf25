import Foundation
import Testing
import TributaryCommand
import TributarySQLite
import TributaryTesting

/// Scripts with transactions, savepoints and pragmas of their own.
struct ScriptTests {
  /// How many transactions the log of a store has, after a synchronisation.
  private func transactions(_ stores: StoreFixture) -> Int {
    #expect(Invocation("sync", stores.path("a")).status == .done)
    return Invocation("log", "show", stores.container, "--json").output.utf8
      .split(separator: UInt8(ascii: "\n")).count
  }

  private func expectRefusal(
    _ stores: StoreFixture, _ script: String, _ parts: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let run = Invocation("sql", stores.path("a"), script)
    #expect(run.status == .failed, sourceLocation: sourceLocation)
    for part in parts {
      #expect(run.errors.contains(part), "\(run.errors)", sourceLocation: sourceLocation)
    }
  }

  // MARK: Stopped tables

  @Test func `a script that writes a table that has stopped is told that its rows stay here`()
    throws
  {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks (id) VALUES (1); INSERT INTO pairs VALUES ('a', 1, 1)")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let program = try Connection(path: stores.path("a"), mode: .readWrite)
      try program.execute("ALTER TABLE tracks RENAME COLUMN title TO name")
      program.close()
      #expect(Invocation("sync", stores.path("a")).status == .damage)
      for script in [
        "INSERT INTO TRACKS (id) VALUES (2)",
        "BEGIN; UPDATE tracks SET id = 3 WHERE id = 2; COMMIT; INSERT INTO pairs VALUES ('b', 1, 1)",
      ] {
        let written = Invocation("sql", stores.path("a"), script)
        #expect(written.status == .done)
        #expect(
          written.errors.contains("warning: \(stores.path("a")): what was written stays here: ")
            && written.errors.contains("column title of table tracks"), "\(written.errors)")
      }
      for script in ["SELECT * FROM tracks", "INSERT INTO pairs VALUES ('c', 1, 1)"] {
        let run = Invocation("sql", stores.path("a"), script)
        #expect(run.status == .done && run.errors.isEmpty, "\(run.errors)")
      }
    }
  }

  // MARK: Savepoints

  @Test func `an outermost savepoint is a transaction`() throws {
    try withStores { stores in
      stores.sql(
        "a",
        """
        BEGIN; INSERT INTO tracks (id) VALUES (1); COMMIT;
        SAVEPOINT s;
          INSERT INTO tracks (id) VALUES (2);
        ROLLBACK TO s;
          INSERT INTO tracks (id) VALUES (3);
          SAVEPOINT "in ner"; INSERT INTO tracks (id) VALUES (4); ROLLBACK TO [IN NER];
          INSERT INTO tracks (id) VALUES (5); RELEASE 'in Ner';
          SAVEPOINT S; INSERT INTO tracks (id) VALUES (6); RELEASE s;
          INSERT INTO tracks (id) VALUES (7);
        RELEASE SAVEPOINT "S";
        INSERT INTO tracks (id) VALUES (8);
        SAVEPOINT x; INSERT INTO tracks (id) VALUES (9); COMMIT;
        SAVEPOINT x; INSERT INTO tracks (id) VALUES (10); ROLLBACK;
        SAVEPOINT x; SAVEPOINT y; INSERT INTO tracks (id) VALUES (11); RELEASE x;
        """)
      #expect(
        stores.sql("a", "SELECT group_concat(id) FROM (SELECT id FROM tracks ORDER BY id)")
          == "1,3,5,6,7,8,9,11\n")
      #expect(transactions(stores) == 5)
      #expect(Invocation("sync", stores.path("b")).status == .done)
      #expect(Invocation("verify", stores.path("b")).status == .done)
      #expect(stores.sql("b", "SELECT count(*) FROM tracks") == "8\n")
    }
  }

  @Test func `names that differ beyond ASCII are two savepoints`() throws {
    try withStores { stores in
      stores.sql(
        "a",
        """
        BEGIN; COMMIT; SAVEPOINT "Ä"; INSERT INTO tracks (id) VALUES (1);
        SAVEPOINT "ä"; INSERT INTO tracks (id) VALUES (2); ROLLBACK TO "Ä";
        INSERT INTO tracks (id) VALUES (3); RELEASE "Ä"
        """)
      #expect(stores.sql("a", "SELECT id FROM tracks") == "3\n")
      #expect(transactions(stores) == 1)
      expectRefusal(stores, "BEGIN; COMMIT; SAVEPOINT s; RELEASE t", "no such savepoint: t")
    }
  }

  @Test func `what is not released is not committed`() throws {
    try withStores { stores in
      expectRefusal(
        stores,
        "BEGIN; INSERT INTO tracks (id) VALUES (1); COMMIT; SAVEPOINT s; INSERT INTO tracks (id) VALUES (2)",
        "savepoint s", "add RELEASE \"s\"")
      expectRefusal(
        stores,
        "INSERT INTO tracks (id) VALUES (3); SAVEPOINT s; INSERT INTO tracks (id) VALUES (4)",
        "savepoint s")
      #expect(stores.sql("a", "SELECT id FROM tracks") == "1\n")
      #expect(transactions(stores) == 1)
    }
  }

  // MARK: Constraints that are switched off

  private static let family = """
    CREATE TABLE child (id INTEGER PRIMARY KEY, p NOT NULL REFERENCES parent ON DELETE CASCADE, n CHECK (n > 0));
    INSERT INTO child VALUES (1, 7, 5);
    CREATE TABLE parent (id INTEGER PRIMARY KEY);
    """

  @Test func `a dump in any order is read, and its references checked when it commits`() throws {
    try withStores { stores in
      let off = "PRAGMA foreign_keys=OFF;"
      let dump = "\(off)\nBEGIN TRANSACTION;\n\(Self.family)"
      expectRefusal(
        stores, dump + "INSERT INTO parent VALUES (8); COMMIT;", "row (1) of table child",
        "row of parent")
      expectRefusal(
        stores, "\(off)\(Self.family) INSERT INTO parent VALUES (8)", "row (1) of table child")
      #expect(stores.sql("a", "SELECT count(*) FROM sqlite_schema WHERE name = 'child'") == "0\n")
      stores.sql("a", dump + "INSERT INTO parent VALUES (7); COMMIT;")
      stores.sql(
        "b",
        "\(off)\(Self.family.replacing("VALUES (1, 7, 5)", with: "VALUES (2, 9, 5)")) INSERT INTO parent VALUES (9)"
      )
      for name in ["a", "b", "a"] { #expect(Invocation("sync", stores.path(name)).status == .done) }
      #expect(stores.sql("a", "SELECT id, p FROM child ORDER BY id") == "1\t7\n2\t9\n")
      // A parent that goes must leave nobody behind, and nobody is deleted unseen.
      expectRefusal(
        stores, "\(off) BEGIN; DELETE FROM parent WHERE id = 7; COMMIT", "row (1) of table child")
      stores.sql(
        "a", "\(off) BEGIN; DELETE FROM parent WHERE id = 7; INSERT INTO parent VALUES (7); COMMIT")
      #expect(stores.sql("a", "SELECT count(*) FROM child") == "2\n")
      expectRefusal(stores, "INSERT INTO child VALUES (3, 1, 1)", "FOREIGN KEY constraint failed")
    }
  }

  @Test(arguments: [
    "PRAGMA ignore_check_constraints = ON; INSERT INTO t VALUES (1, -1)",
    "PRAGMA ignore_check_constraints = 1; BEGIN; INSERT INTO t VALUES (1, -1); COMMIT",
    "BEGIN; PRAGMA main.ignore_check_constraints(yes); INSERT INTO t VALUES (1, -1); COMMIT",
  ])
  func `a CHECK holds whatever the pragma says`(script: String) throws {
    try withStores { stores in
      stores.sql("a", "CREATE TABLE t (k INTEGER PRIMARY KEY, n CHECK (n > 0))")
      expectRefusal(stores, script, "CHECK constraint failed: n > 0")
      #expect(stores.sql("a", "SELECT count(*) FROM t") == "0\n")
    }
  }

  @Test(arguments: ["", "PRAGMA writable_schema = ON;", "PRAGMA writable_schema = RESET; BEGIN;"])
  func `the schema table is never written`(pragma: String) throws {
    try withStores { stores in
      let before = stores.sql("a", "SELECT sql FROM sqlite_schema")
      expectRefusal(
        stores,
        "\(pragma) UPDATE sqlite_schema SET sql = 'CREATE TABLE tracks (x)' WHERE name = 'tracks'",
        "may not be modified")
      #expect(stores.sql("a", "SELECT sql FROM sqlite_schema") == before)
    }
  }

  // MARK: Numbers

  @Test func `a number is spent on all devices also where no log has its row`() throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      let program = try Connection(path: stores.path("a"), mode: .create)
      defer { program.close() }
      try program.execute(
        """
        CREATE TABLE t (k INTEGER PRIMARY KEY AUTOINCREMENT, v);
        INSERT INTO t (v) VALUES ('one'), ('two'), ('three'); DELETE FROM t WHERE k > 1
        """)
      func sync(_ names: String...) {
        for name in names { #expect(Invocation("sync", stores.path(name)).status == .done) }
      }
      #expect(stores.attach("a").status == .done)
      sync("a")
      #expect(stores.attach("b").status == .done)
      #expect(stores.sql("b", "INSERT INTO t (v) VALUES ('b') RETURNING k") == "4\n")
      sync("b", "a")
      // It leaves nothing that could be published.
      try program.execute(
        "BEGIN; INSERT INTO t (v) VALUES ('a'); DELETE FROM t WHERE k = 5; COMMIT")
      sync("a", "b")
      #expect(stores.sql("b", "INSERT INTO t (v) VALUES ('b') RETURNING k") == "6\n")
      sync("b", "a")
      #expect(stores.attach("c").status == .done)
      for name in ["a", "c"] {
        #expect(stores.sql(name, "INSERT INTO t (v) VALUES ('\(name)') RETURNING k") == "7\n")
      }
    }
  }

  @Test func `a number that another device has spent is not given again`() throws {
    try withStores { stores in
      for name in ["a", "b"] {
        stores.sql(name, "CREATE TABLE t (k INTEGER PRIMARY KEY AUTOINCREMENT, v)")
      }
      stores.sql("a", "INSERT INTO t (v) VALUES ('one'), ('two'), ('three')")
      stores.sql("a", "INSERT INTO t VALUES (-9, 'below')")
      stores.sql("a", "DELETE FROM t WHERE k IN (1, 3)")
      for name in ["a", "b"] { #expect(Invocation("sync", stores.path(name)).status == .done) }
      #expect(stores.sql("b", "INSERT INTO t (v) VALUES ('b') RETURNING k") == "4\n")
      stores.sql("b", "DELETE FROM t WHERE k = 4")
      for name in ["b", "a"] { #expect(Invocation("sync", stores.path(name)).status == .done) }
      #expect(stores.attach("c").status == .done)
      #expect(Invocation("rebuild", stores.path("b")).status == .done)
      for name in ["a", "b", "c"] {
        #expect(
          stores.sql(name, "SELECT name, seq FROM sqlite_sequence WHERE name = 't'") == "t\t4\n")
        #expect(stores.sql(name, "INSERT INTO t (v) VALUES ('\(name)') RETURNING k") == "5\n")
      }
      for name in ["a", "b", "c", "a", "b"] {
        #expect(Invocation("sync", stores.path(name)).status == .done)
      }
      for name in ["a", "b", "c"] {
        #expect(Invocation("verify", stores.path(name)).status == .done)
        // Two of the three that were given 5 at one time live under numbers that SQLite never gives.
        #expect(stores.sql(name, "INSERT INTO t (v) VALUES ('\(name)') RETURNING k") == "6\n")
      }
    }
  }
}
