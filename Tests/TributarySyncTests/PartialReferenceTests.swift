import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// References of several columns, of which one is NULL: they demand no parent, and what they name is
/// followed all the same.
struct PartialReferenceTests {
  private static let script = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER NOT NULL REFERENCES p (id), n TEXT, UNIQUE (id, p));
    CREATE TABLE m (
      id INTEGER PRIMARY KEY, c INTEGER, p INTEGER, n TEXT, FOREIGN KEY (c, p) REFERENCES c (id, p)
    );
    CREATE TABLE seen (n PRIMARY KEY);
    CREATE TRIGGER see AFTER UPDATE ON m BEGIN INSERT OR REPLACE INTO seen VALUES (NEW.n); END;
    """

  @Test func `a visible row goes with the held one that it names when the number is given again`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let tables = TableSelection.except(["seen"])
      let a = try devices.open("a", Self.script, tables: tables)
      let b = try devices.open("b", Self.script, tables: tables)
      try a.execute("INSERT INTO p VALUES (1, 'parent'), (2, 'other')")
      try exchange(a, b)
      try a.execute("DELETE FROM p WHERE id = 1")
      try b.execute(
        "INSERT INTO c (p, n) VALUES (1, 'held'); INSERT INTO m (c, n) VALUES (1, 'of the held one')"
      )
      try exchange(a, b)
      #expect(try a.rows("SELECT c, p, n FROM m") == ["1|null|of the held one"])
      // What a trigger of the row says of conflicts holds when it is moved.
      try a.execute("UPDATE m SET n = n || ', twice'; UPDATE m SET n = 'of the held one'")
      try a.execute(
        """
        INSERT INTO c (p, n) VALUES (2, 'new');
        INSERT INTO m (c, n) SELECT id, 'of the new one' FROM c
        """)
      #expect(try a.rows("SELECT id FROM c") == ["1"])
      #expect(try a.rows("SELECT n FROM m WHERE c < 0") == ["of the held one"])
      #expect(try Engine.verify(store: devices.path("a")).differences.isEmpty)
      try expectEqualAfterExchange(a, b)
      for name in ["a", "b"] {
        #expect(try Engine.verify(store: devices.path(name)).differences.isEmpty)
      }
      let digest = try a.store.digest().total
      b.store.close()
      _ = try Engine.rebuild(store: devices.path("b"))
      let again = try SyncSession(store: devices.path("b"))
      #expect(try again.store.digest().total == digest)
      try a.execute("INSERT INTO p VALUES (1, 'back')")
      try expectEqualAfterExchange(a, again)
      #expect(
        try again.rows("SELECT m.n, c.n FROM m JOIN c ON c.id = m.c ORDER BY 1")
          == ["of the held one|held", "of the new one|new"])
    }
  }
}
