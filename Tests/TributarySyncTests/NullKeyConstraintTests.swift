import Testing
import TributarySync
import TributaryTesting

/// Rows that other programs write with NULL in their key, where constraints bind them to rows that others have.
struct NullKeyConstraintTests {
  private static let script = """
    CREATE TABLE p (id TEXT PRIMARY KEY NOT NULL);
    CREATE TABLE t (k TEXT PRIMARY KEY, f TEXT UNIQUE, p TEXT REFERENCES p (id));
    CREATE TABLE u (id TEXT PRIMARY KEY NOT NULL);
    INSERT INTO p VALUES ('x');
    """

  private func withStores(
    _ body: (ForeignPrograms, SyncSession, SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let programs = try ForeignPrograms(in: directory)
      let a = try programs.open("a", Self.script)
      try a.exchange()
      let b = try programs.devices.open("b")
      try exchange(a, b)
      try body(programs, a, b)
    }
  }

  /// What may happen to the row without a key.
  private static let endings = [
    "DELETE FROM t WHERE k IS NULL", "UPDATE t SET f = 'other' WHERE k IS NULL",
  ]

  @Test(arguments: endings)
  func `another row with its unique key is held as long as it is there`(ending: String) throws {
    try withStores { programs, a, b in
      try programs.write("INSERT INTO t (k, f) VALUES (NULL, 'one')", to: a)
      try a.exchange()
      try b.execute("INSERT INTO t (k, f) VALUES ('k', 'one'); INSERT INTO u VALUES ('b')")
      try exchange(b, a)
      #expect(try a.rows("SELECT id FROM u") == ["b"])
      #expect(try a.rows("SELECT k, f FROM t") == ["null|one"])
      #expect(try a.conflicts().map(\.kind) == [.unique])
      #expect(try a.conflicts().map(\.isHeld) == [true])
      #expect(try b.conflicts() == [])
      try programs.write(ending, to: a)
      try exchange(a, b)
      #expect(try a.rows("SELECT k FROM t WHERE f = 'one'") == ["k"])
      #expect(try a.conflicts() == [])
    }
  }

  @Test func `what it refers to can be deleted on another device`() throws {
    try withStores { programs, a, b in
      try programs.write("INSERT INTO t (k, p) VALUES (NULL, 'x')", to: a)
      try a.exchange()
      try b.execute("DELETE FROM p; INSERT INTO u VALUES ('b')")
      try exchange(b, a)
      #expect(try a.rows("SELECT id FROM u") == ["b"])
      #expect(try a.rows("SELECT p FROM t") == ["x"])
      #expect(try a.rows("SELECT id FROM p") == [])
      #expect(try a.synchronize().keyless.count == 1)
    }
  }

  @Test func `one that refers to nothing keeps nothing else back`() throws {
    try withStores { programs, a, b in
      try programs.write(
        """
        BEGIN; INSERT INTO t (k, p) VALUES ('c', 'nobody'), (NULL, 'nobody'); INSERT INTO u VALUES ('a');
        DELETE FROM p; COMMIT
        """, to: a, enforcing: false)
      try exchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT id FROM u") == ["a"])
        #expect(try session.rows("SELECT k FROM t WHERE k IS NOT NULL") == [])
        #expect(try session.conflicts().map(\.kind) == [.foreignKey])
      }
      try a.execute("INSERT INTO u VALUES ('later')")
      try exchange(a, b)
      #expect(try b.rows("SELECT id FROM u ORDER BY 1") == ["a", "later"])
    }
  }
}
