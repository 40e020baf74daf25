import Testing
import TributaryCore
import TributarySync
import TributaryTesting

/// A row that is held for want of its parent, whose number several devices give again.
struct HeldNumberGivenAgainTests {
  @Test func `one row stays one when three devices give its number again`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = """
        CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER NOT NULL REFERENCES p (id), n TEXT);
        CREATE TABLE g (id INTEGER PRIMARY KEY, c INTEGER NOT NULL REFERENCES c (id), n TEXT);
        """
      let sessions = try ["a", "b", "c"].map { try devices.open($0, script) }
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
      for (session, name) in zip(sessions, ["a", "b", "c"]) {
        try session.execute("INSERT INTO c (p, n) VALUES (2, '\(name)')")
      }
      try expectEqualAfterExchange(a, b, c)
      try a.execute("INSERT INTO p VALUES (1, 'back')")
      try expectEqualAfterExchange(a, b, c)
      for session in sessions {
        #expect(
          try session.rows("SELECT c.n, p.name FROM c JOIN p ON p.id = c.p ORDER BY 1")
            == ["a|other", "b|other", "c|other", "held|back"])
        #expect(
          try session.rows("SELECT c.n, g.n FROM g JOIN c ON g.c = c.id")
            == ["held|of the held one"])
        #expect(try session.conflicts() == [])
      }
    }
  }
}
