import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What other programs write by actions of foreign keys and by triggers, which SQLite runs in the midst of
/// their statements.
struct ForeignActionTests {
  private static let script = """
    CREATE TABLE t (
      k INTEGER PRIMARY KEY, c TEXT, n INTEGER, u TEXT UNIQUE, f TEXT REFERENCES t (u) ON UPDATE SET NULL,
      g INTEGER REFERENCES t (k) ON UPDATE CASCADE
    );
    CREATE UNIQUE INDEX i ON t (c) WHERE n IS NOT NULL;
    CREATE TABLE p (a TEXT PRIMARY KEY, b TEXT REFERENCES q (x) ON UPDATE CASCADE, c TEXT UNIQUE);
    CREATE TABLE q (x TEXT PRIMARY KEY REFERENCES p (a) ON UPDATE CASCADE);
    INSERT INTO t VALUES (1, 'c', 1, 'b', NULL, 1), (2, 'c', NULL, 'c', 'b', 1), (3, 'd', 1, 'd', NULL, NULL);
    INSERT INTO q VALUES ('1'); INSERT INTO p VALUES ('1', '1', 'one'), ('2', '1', 'two');
    """

  private func withPair(
    _ body: (ForeignPrograms, SyncSession, SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let programs = try ForeignPrograms(in: directory)
      let sessions = try ["a", "b"].map { try programs.open($0, Self.script) }
      try exchange(sessions[0], sessions[1])
      try body(programs, sessions[0], sessions[1])
    }
  }

  @Test(arguments: [
    "UPDATE t SET u = 'a', f = 'c' WHERE k = 1",
    "UPDATE t SET k = 10, u = 'a', n = 7 WHERE k = 1",
    "UPDATE OR REPLACE t SET k = 3, u = 'a' WHERE k = 1",
    "UPDATE OR IGNORE t SET k = 3, u = 'a' WHERE k = 1; UPDATE t SET n = 5 WHERE k IN (1, 3)",
    "UPDATE t SET u = 'a' WHERE k = 1; UPDATE t SET u = 'b' WHERE k = 1",
    "UPDATE p SET a = 'z', c = 'three' WHERE a = '1'",
    "UPDATE p SET a = '3' WHERE a = '1'; UPDATE p SET a = '1' WHERE a = '3'",
    "DELETE FROM p WHERE a = '2'; UPDATE p SET a = '2' WHERE a = '1'",
  ])
  func `an update that comes back to its row reaches every device`(sql: String) throws {
    try withPair { programs, a, b in
      try programs.write(sql, to: a)
      func rows(_ session: SyncSession) throws -> [[String]] {
        try ["t", "p", "q"].map { try session.rows("SELECT * FROM \($0) ORDER BY 1") }
      }
      let written = try rows(a)
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(try rows(session) == written)
        #expect(try Engine.verify(store: session.store.path).differences.isEmpty)
      }
    }
  }

  @Test func `a row that gets another number stays beside one that another device inserts`()
    throws
  {
    try withPair { programs, a, b in
      try programs.write("UPDATE t SET k = 7 WHERE k = 1", to: a)
      try programs.write("INSERT INTO t (k, c) VALUES (7, 'other')", to: b)
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT c FROM t ORDER BY c") == ["c", "c", "d", "other"])
      #expect(try b.rows("SELECT c.c FROM t JOIN t AS c ON c.k = t.g ORDER BY t.u") == ["c", "c"])
    }
  }

  @Test func `a row that a trigger updates at once stays beside that of another device`()
    throws
  {
    try withPair { programs, a, b in
      for session in [a, b] {
        // It is newer than those of the store, and fires first.
        try programs.write(
          "CREATE TRIGGER later AFTER INSERT ON t BEGIN UPDATE t SET n = 5 WHERE k = NEW.k; END",
          to: session)
        try session.exchange()
      }
      try programs.write("INSERT INTO t (c) VALUES ('of a')", to: a)
      try programs.write("INSERT INTO t (c) VALUES ('of b')", to: b)
      try expectEqualAfterExchange(a, b)
      #expect(
        try b.rows("SELECT c, n FROM t WHERE c LIKE 'of%' ORDER BY c") == ["of a|5", "of b|5"])
    }
  }
}
