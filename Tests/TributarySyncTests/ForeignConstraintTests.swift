import Testing
import TributarySync
import TributaryTesting

/// Constraints that another program drops or adds, and nothing else.
struct ForeignConstraintTests {
  private func withStores(
    _ script: String, _ body: (ForeignPrograms, SyncSession, SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let programs = try ForeignPrograms(in: directory)
      try body(programs, programs.open("a", script), programs.open("b", script))
    }
  }

  private static func remade(_ columns: String) -> String {
    """
    BEGIN; CREATE TABLE n (\(columns)); INSERT INTO n SELECT * FROM t; DROP TABLE t;
    ALTER TABLE n RENAME TO t; COMMIT
    """
  }

  private func expectWhole(_ sessions: SyncSession...) throws {
    for session in sessions {
      #expect(try session.rows("PRAGMA foreign_key_check") == [])
      #expect(try Engine.verify(store: session.store.path).differences.isEmpty)
    }
  }

  @Test func `rows that were held for a unique index return when a program drops it`() throws {
    let script = "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a); CREATE UNIQUE INDEX ux ON t (a)"
    try withStores(script) { programs, a, b in
      try a.execute("INSERT INTO t VALUES ('x', 9)")
      try b.execute("INSERT INTO t VALUES ('y', 9)")
      try exchange(a, b)
      #expect(try b.conflicts().map(\.isHeld) == [true])
      for session in [a, b] { try programs.write("DROP INDEX ux", to: session) }
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT id FROM t ORDER BY 1") == ["x", "y"])
      #expect(try b.conflicts() == [])
      try expectWhole(a, b)
    }
  }

  @Test func `rows that were held for a CHECK return when a program makes the table without it`()
    throws
  {
    let script = "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, f CHECK (f <> 'bad'))"
    try withStores(script) { programs, a, b in
      let new = Self.remade("id TEXT PRIMARY KEY NOT NULL, f")
      try programs.write(new, to: a)
      try a.execute("INSERT INTO t VALUES ('2', 'bad')")
      try exchange(a, b)
      #expect(try b.conflicts().map(\.kind) == [.check])
      try programs.write(new, to: b)
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT f FROM t") == ["bad"])
      try expectWhole(a, b)
    }
  }

  @Test(arguments: [("", "1|first"), ("ON DELETE SET NULL", "1|first")])
  func `what a foreign key hid is shown when a program makes the table without it`(
    action: String, shown: String
  ) throws {
    let script = """
      CREATE TABLE p (id TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, f TEXT REFERENCES p (id) \(action));
      INSERT INTO p VALUES ('first');
      """
    try withStores(script) { programs, a, b in
      try exchange(a, b)
      try a.execute("INSERT INTO t VALUES ('1', 'first')")
      try b.execute("DELETE FROM p")
      try exchange(a, b)
      #expect(try a.rows("SELECT * FROM t WHERE f IS NOT NULL") == [])
      for session in [a, b] {
        try programs.write(
          Self.remade("id TEXT PRIMARY KEY NOT NULL, f TEXT"), to: session, enforcing: false)
      }
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT * FROM t") == [shown])
      try expectWhole(a, b)
    }
  }

  @Test func `rows that refer to nothing are held when a program adds the foreign key`() throws {
    let script = """
      CREATE TABLE p (id TEXT PRIMARY KEY NOT NULL); CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, f TEXT);
      INSERT INTO t VALUES ('1', 'nobody')
      """
    try withStores(script) { programs, a, b in
      try exchange(a, b)
      for session in [a, b] {
        try programs.write(
          Self.remade("id TEXT PRIMARY KEY NOT NULL, f TEXT REFERENCES p (id)"), to: session,
          enforcing: false)
      }
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT id FROM t") == [])
      #expect(try a.conflicts().map(\.kind) == [.foreignKey])
      try expectWhole(a, b)
      try b.execute("INSERT INTO p VALUES ('nobody')")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT id FROM t") == ["1"])
    }
  }

  @Test func `capture computes no term of an index for a row that the index leaves out`() throws {
    let script = """
      CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, j TEXT, k);
      CREATE UNIQUE INDEX u ON t (json_extract(j, '$.id')) WHERE json_valid(j);
      """
    try withStores(script) { programs, a, b in
      try programs.write(
        """
        INSERT INTO t VALUES ('1', 'no JSON', NULL), ('2', '{"id":1}', NULL);
        INSERT INTO t VALUES ('3', 'nor this', NULL); UPDATE t SET k = 'x'; UPDATE t SET j = 'more' WHERE id = '1';
        UPDATE OR IGNORE t SET k = 'y'; REPLACE INTO t VALUES ('1', 'y', NULL); REPLACE INTO t VALUES ('4', '{"id":1}', 7)
        """, to: a)
      try expectEqualAfterExchange(a, b)
      #expect(
        try b.rows("SELECT id, j, k FROM t ORDER BY 1") == [
          "1|y|null", "3|nor this|y", #"4|{"id":1}|7"#,
        ])
      try expectWhole(a, b)
    }
  }
}
