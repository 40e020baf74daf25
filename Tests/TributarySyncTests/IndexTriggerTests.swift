import Testing
import TributarySync
import TributaryTesting

/// Full-text indexes whose triggers also do something else, or are not enough.
struct IndexTriggerTests {
  @Test func `of a trigger that writes both kinds of tables, an import runs what the logs lack`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = """
        CREATE TABLE message (id INTEGER PRIMARY KEY, body TEXT);
        CREATE TABLE reaction (message INTEGER, emoji TEXT, PRIMARY KEY (message, emoji)) WITHOUT ROWID;
        CREATE TABLE "end" (n INTEGER PRIMARY KEY);
        CREATE VIRTUAL TABLE found USING fts5(body);
        CREATE TRIGGER added AFTER INSERT ON message BEGIN
          INSERT INTO found (rowid, body) VALUES (new.id, new.body);
        END;
        CREATE TRIGGER removed AFTER DELETE ON message BEGIN
          -- of both; DELETE FROM message
          DELETE FROM reaction WHERE message = old.id /* ; */;
          INSERT OR IGNORE INTO "end" VALUES (CASE WHEN old.id > 0 THEN old.id END);
          DELETE FROM found WHERE rowid = old.id; -- the index
        END;
        """
      let a = try devices.open("a", script)
      let b = try devices.open("b", script)
      try a.execute(
        "INSERT INTO message VALUES (1, 'first'), (2, 'second'); INSERT INTO reaction VALUES (2, '!')"
      )
      try exchange(a, b)
      // The number is used again, as SQLite does.
      try a.execute("DELETE FROM message WHERE id = 2")
      try b.execute("INSERT INTO reaction VALUES (1, '?')")
      try exchange(a, b)
      try a.execute("INSERT INTO message VALUES (2, 'third')")
      try exchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT rowid FROM found WHERE found MATCH 'third'") == ["2"])
        #expect(try session.rows("SELECT rowid FROM found WHERE found MATCH 'second'") == [])
        #expect(try session.rows("SELECT message, emoji FROM reaction") == ["1|?"])
        #expect(try session.rows("SELECT n FROM \"end\"") == ["2"])
        #expect(try session.status().findings == [])
        session.store.close()
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
        _ = try Engine.rebuild(store: session.store.path)
        let again = try SyncSession(store: session.store.path)
        #expect(try again.rows("SELECT count(*) FROM found") == ["2"])
      }
    }
  }

  @Test func `an index that lacks a trigger is named where it does not take a row`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = """
        CREATE TABLE message (id INTEGER PRIMARY KEY, body TEXT);
        CREATE VIRTUAL TABLE found USING fts5(body);
        CREATE TRIGGER added AFTER INSERT ON message BEGIN
          INSERT INTO found (rowid, body) VALUES (new.id, new.body);
        END;
        """
      let a = try devices.open("a", script)
      let b = try devices.open("b", script)
      try a.execute("INSERT INTO message VALUES (1, 'first')")
      try exchange(a, b)
      try a.execute("DELETE FROM message; DELETE FROM found WHERE rowid = 1")
      try exchange(a, b)
      try a.execute("INSERT INTO message VALUES (1, 'again')")
      try a.exchange()
      let waiting = try b.synchronize().delays
      #expect(waiting.count == 1)
      #expect("\(waiting)".contains("a trigger writes into a virtual table"), "\(waiting)")
      try b.execute("DELETE FROM found")
      try b.exchange()
      #expect(try b.rows("SELECT rowid, body FROM found") == ["1|again"])
    }
  }
}
