import Testing
import TributaryCore
import TributarySync
import TributaryTesting

/// Rows that are held for want of their parent, whose numbers several devices give again.
struct HeldNumberGivenAgainTests {
  private static let script = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER NOT NULL REFERENCES p (id), n TEXT, m TEXT);
    CREATE TABLE g (id INTEGER PRIMARY KEY, c INTEGER NOT NULL REFERENCES c (id), n TEXT);
    """

  /// Three devices for which a row of `c` and one of `g` that refers to it are held.
  private func withHeldRows(
    _ body: (_ a: SyncSession, _ b: SyncSession, _ c: SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let sessions = try ["a", "b", "c"].map { try devices.open($0, Self.script) }
      let (a, b, c) = (sessions[0], sessions[1], sessions[2])
      try a.execute("INSERT INTO p VALUES (1, 'parent'), (2, 'other')")
      try exchange(a, b, c)
      try a.execute("DELETE FROM p WHERE id = 1")
      try b.execute(
        """
        INSERT INTO c (p, n) VALUES (1, 'held');
        INSERT INTO g (c, n) VALUES (1, 'of the held one');
        """)
      try exchange(a, b, c)
      for session in sessions {
        #expect(try session.rows("SELECT * FROM c") == [])
        #expect(try session.conflicts().map(\.isHeld) == [true, true])
      }
      try body(a, b, c)
    }
  }

  private func rows(_ session: SyncSession) throws -> [String] {
    try session.rows(
      """
      SELECT c.n, c.m, p.name, g.n FROM c JOIN p ON p.id = c.p LEFT JOIN g ON g.c = c.id
      ORDER BY 1, 4
      """)
  }

  @Test func `one row stays one when three devices give its number again`() throws {
    try withHeldRows { a, b, c in
      for (session, name) in [(a, "a"), (b, "b"), (c, "c")] {
        try session.execute("INSERT INTO c (p, n) VALUES (2, '\(name)')")
      }
      try expectEqualAfterExchange(a, b, c)
      try a.execute("INSERT INTO p VALUES (1, 'back')")
      try expectEqualAfterExchange(a, b, c)
      for session in [a, b, c] {
        #expect(
          try rows(session) == [
            "a|null|other|null", "b|null|other|null", "c|null|other|null",
            "held|null|back|of the held one",
          ])
        #expect(try session.conflicts() == [])
      }
    }
  }

  @Test func `an update of the held row that only some knew stays with it`() throws {
    try withHeldRows { a, b, c in
      // Here the parent is back, so that the row can be written; the others do not know.
      try c.execute("INSERT INTO p VALUES (1, 'back')")
      try c.execute("UPDATE c SET m = 'changed' WHERE n = 'held'")
      try c.execute("DELETE FROM p WHERE id = 2")
      for session in [a, b] {
        try session.execute("INSERT INTO c (p, n) SELECT id, 'new' FROM p WHERE id = 2")
      }
      try a.execute("UPDATE c SET m = 'of a' WHERE n = 'new'")
      try expectEqualAfterExchange(a, b, c)
      try b.execute("INSERT OR REPLACE INTO p VALUES (2, 'other')")
      try expectEqualAfterExchange(a, b, c)
      for session in [a, b, c] {
        #expect(
          try rows(session) == [
            "held|changed|back|of the held one", "new|null|other|null", "new|of a|other|null",
          ])
        #expect(try session.conflicts() == [])
      }
    }
  }

  @Test func `a device that gives the number again does not speak for the row that had it`() throws
  {
    try withHeldRows { a, b, c in
      // One knows of an update, and the number is given again on both.
      try c.execute("INSERT INTO p VALUES (1, 'back')")
      try c.execute("UPDATE c SET m = 'changed' WHERE n = 'held'")
      try c.execute("DELETE FROM g")
      try b.execute("INSERT INTO c (p, n) VALUES (2, 'b')")
      try expectEqualAfterExchange(b, c)
      try a.execute("INSERT INTO c (p, n) VALUES (2, 'a')")
      try expectEqualAfterExchange(a, b, c)
      for session in [a, b, c] {
        #expect(
          try rows(session) == [
            "a|null|other|null", "b|null|other|null", "held|changed|back|null",
          ])
        #expect(try session.conflicts() == [])
      }
    }
  }

  @Test func `held rows that refer to each other stay together when all numbers are given again`()
    throws
  {
    try withHeldRows { a, b, c in
      for (session, name) in [(a, "a"), (b, "b"), (c, "c")] {
        try session.execute(
          """
          INSERT INTO c (p, n) VALUES (2, '\(name)');
          INSERT INTO g (c, n) SELECT max(id), 'of \(name)' FROM c
          """)
      }
      try expectEqualAfterExchange(a, b, c)
      try c.execute("INSERT INTO p VALUES (1, 'back')")
      try expectEqualAfterExchange(a, b, c)
      for session in [a, b, c] {
        #expect(
          try rows(session) == [
            "a|null|other|of a", "b|null|other|of b", "c|null|other|of c",
            "held|null|back|of the held one",
          ])
        #expect(try session.conflicts() == [])
      }
    }
  }

  @Test func `a number that was taken over can be taken over again`() throws {
    try withHeldRows { a, b, c in
      try a.execute("INSERT INTO p VALUES (3, 'third'); INSERT INTO c (p, n) VALUES (3, 'a')")
      try b.execute("INSERT INTO c (p, n) VALUES (2, 'b')")
      try exchange(a, b, c)
      try c.execute(
        "DELETE FROM c WHERE n = 'b'; DELETE FROM c WHERE n = 'a'; DELETE FROM p WHERE id = 3")
      try a.execute("UPDATE c SET m = 'changed' WHERE n = 'a'")
      try a.execute("INSERT INTO c (p, n) VALUES (3, 'again')")
      try expectEqualAfterExchange(a, b, c)
      for session in [a, b, c] { try session.execute("INSERT INTO c (p, n) VALUES (2, 'last')") }
      try expectEqualAfterExchange(a, b, c)
      try b.execute("INSERT INTO p VALUES (1, 'back'), (3, 'third again')")
      try expectEqualAfterExchange(a, b, c)
      for session in [a, b, c] {
        #expect(try rows(session).contains("held|null|back|of the held one"))
        #expect(try rows(session).contains("again|null|third again|null"))
        #expect(try session.rows("SELECT count(*) FROM c WHERE n = 'held'") == ["1"])
      }
    }
  }
}
