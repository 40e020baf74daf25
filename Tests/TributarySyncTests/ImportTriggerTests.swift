import Foundation
import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Tables that are not replicated and are kept up by triggers follow what is imported.
struct ImportTriggerTests {
  private static let notes = """
    CREATE TABLE note (
      id INTEGER PRIMARY KEY, title TEXT COLLATE NOCASE UNIQUE, body TEXT NOT NULL DEFAULT '',
      length INTEGER AS (length(body)) STORED, shout TEXT AS (upper(title))
    ) STRICT;
    CREATE VIRTUAL TABLE found USING fts5(title, body, content = 'note', content_rowid = 'id');
    CREATE TRIGGER "note ""added"" now" AFTER INSERT ON note BEGIN
      INSERT INTO found (rowid, title, body) VALUES (new.id, new.title, new.body);
    END;
    CREATE TRIGGER note_removed AFTER DELETE ON note BEGIN
      INSERT INTO found (found, rowid, title, body)
      VALUES ('delete', old.id, old.title, old.body);
    END;
    CREATE TRIGGER note_changed AFTER UPDATE ON note BEGIN
      INSERT INTO found (found, rowid, title, body)
      VALUES ('delete', old.id, old.title, old.body);
      INSERT INTO found (rowid, title, body) VALUES (new.id, new.title, new.body);
    END;
    CREATE VIEW short AS SELECT id, shout FROM note WHERE length < 10;
    CREATE TABLE place (name TEXT PRIMARY KEY COLLATE RTRIM, x REAL, y REAL) WITHOUT ROWID;
    CREATE TABLE place_number (name TEXT PRIMARY KEY COLLATE RTRIM, id INTEGER UNIQUE) WITHOUT ROWID;
    """

  private func expectWhole(
    _ session: SyncSession, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    // Fails when the index and the table differ.
    try session.execute("INSERT INTO found (found, rank) VALUES ('integrity-check', 1)")
    for word in ["blue", "green", "word"] {
      #expect(
        try session.rows("SELECT rowid FROM found WHERE found MATCH '\(word)' ORDER BY rowid")
          == session.rows(
            """
            SELECT id FROM note WHERE title LIKE '%\(word)%' OR body LIKE '%\(word)%' ORDER BY id
            """), sourceLocation: sourceLocation)
    }
    #expect(
      try session.rows("PRAGMA integrity_check") == ["ok"], sourceLocation: sourceLocation)
  }

  @Test func `the check of the full text index would find what is missing`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.notes)
      try a.execute("INSERT INTO note (id, title) VALUES (1, 'blue')")
      try a.store.write(firingTriggers: true) { database in
        try database.execute(
          "INSERT INTO found (found, rowid, title, body) VALUES ('delete', 1, 'blue', '')")
      }
      #expect(throws: (any Error).self) {
        try a.execute("INSERT INTO found (found, rank) VALUES ('integrity-check', 1)")
      }
    }
  }

  @Test func `full text stays right through imports, a rebuild, and attaching`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.notes)
      let b = try devices.open("b")
      try a.execute(
        """
        WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 300)
        INSERT INTO note (id, title, body) SELECT n, 'word ' || n, 'blue ' || (n % 7) FROM i;
        INSERT INTO place VALUES ('here', 1, 2);
        """)
      try exchange(a, b)
      try expectWhole(b)
      #expect(try b.rows("SELECT count(*) FROM found WHERE found MATCH 'blue'") == ["300"])
      try b.execute(
        "UPDATE note SET body = 'green' WHERE id % 3 = 0; DELETE FROM note WHERE id = 7")
      try a.execute(
        """
        UPDATE note SET title = 'TITLE ' || id WHERE id % 2 = 0;
        DELETE FROM note WHERE id = 9;
        INSERT INTO note (id, title, body) VALUES (9, 'Green nine', 'again');
        UPDATE note SET title = 'word 2' WHERE id = 1; UPDATE note SET title = 'word 1' WHERE id = 2
        """)
      try exchange(a, b)
      for session in [a, b] { try expectWhole(session) }
      #expect(try a.rows("SELECT * FROM note") == b.rows("SELECT * FROM note"))
      #expect(try a.rows("SELECT * FROM short") == b.rows("SELECT * FROM short"))
      let c = try devices.open("c")
      try c.exchange()
      try expectWhole(c)
      #expect(try c.rows("SELECT * FROM note") == b.rows("SELECT * FROM note"))
    }
  }

  @Test func `a rebuild and joining with rows of one's own keep full text right`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      do {
        let a = try devices.open("a", Self.notes)
        let b = try devices.open("b", Self.notes)
        try a.execute("INSERT INTO note (id, title, body) VALUES (1, 'blue', 'word')")
        try b.execute("INSERT INTO note (id, title, body) VALUES (2, 'green', 'word')")
        try exchange(a, b)
        try a.execute("UPDATE note SET body = 'blue' WHERE id = 2; DELETE FROM note WHERE id = 1")
        try exchange(a, b)
        try b.execute("INSERT INTO note (id, title, body) VALUES (3, 'unknown word', 'green')")
      }
      try Engine.detach(store: devices.path("b"), removeLogs: false, leavingUnpublished: true)
      #expect(try devices.attach("b").outcome == .joined(added: 1))
      let b = try SyncSession(store: devices.path("b"))
      try expectWhole(b)
      #expect(try b.rows("SELECT rowid FROM found WHERE found MATCH 'unknown'") == ["3"])
      _ = try Engine.rebuild(store: devices.path("a"))
      let a = try SyncSession(store: devices.path("a"))
      try expectWhole(a)
      try exchange(a, b)
      try expectWhole(a)
      try expectWhole(b)
      #expect(try a.rows("SELECT id FROM note ORDER BY id") == ["2", "3"])
    }
  }

  @Test func `spatial indexes follow`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = """
        CREATE TABLE place (id INTEGER PRIMARY KEY, x REAL, y REAL);
        CREATE VIRTUAL TABLE area USING rtree(id, x0, x1, y0, y1);
        CREATE TRIGGER pi AFTER INSERT ON place BEGIN
          INSERT INTO area VALUES (new.id, new.x, new.x, new.y, new.y);
        END;
        CREATE TRIGGER pd AFTER DELETE ON place BEGIN DELETE FROM area WHERE id = old.id; END;
        CREATE TRIGGER pu AFTER UPDATE OF x, y ON place BEGIN
          UPDATE area SET x0 = new.x, x1 = new.x, y0 = new.y, y1 = new.y WHERE id = new.id;
        END;
        """
      let a = try devices.open("a", script)
      let b = try devices.open("b", script)
      try a.execute("INSERT INTO place VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)")
      try exchange(a, b)
      try a.execute("UPDATE place SET x = 20 WHERE id = 2; DELETE FROM place WHERE id = 1")
      try b.execute("UPDATE place SET y = 30 WHERE id = 2")
      try exchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows("SELECT * FROM area ORDER BY id")
            == ["2|20.0|20.0|30.0|30.0", "3|3.0|3.0|3.0|3.0"])
        #expect(try session.rows("SELECT rtreecheck('area')") == ["ok"])
      }
    }
  }

  @Test func `effects on replicated tables travel and do not happen again`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = """
        CREATE TABLE item (id INTEGER PRIMARY KEY, amount INTEGER);
        CREATE TABLE summary (id INTEGER PRIMARY KEY, total INTEGER, changes INTEGER);
        CREATE TABLE audit (what TEXT);
        CREATE VIEW total AS SELECT total FROM summary;
        INSERT INTO summary VALUES (1, 0, 0);
        CREATE TRIGGER si AFTER INSERT ON item BEGIN
          UPDATE summary SET total = total + new.amount WHERE id = 1;
        END;
        CREATE TRIGGER sv INSTEAD OF UPDATE ON total BEGIN
          UPDATE OR FAIL summary SET total = new.total;
        END;
        CREATE TRIGGER sd AFTER DELETE ON item BEGIN UPDATE total SET total = total - old.amount; END;
        CREATE TRIGGER sc AFTER UPDATE OF total ON summary BEGIN
          UPDATE summary SET changes = changes + 1;
        END;
        CREATE TRIGGER ai AFTER INSERT ON item WHEN new.amount > 1 BEGIN
          INSERT INTO audit VALUES ('item ' || new.id);
        END;
        CREATE TRIGGER ad BEFORE DELETE ON item BEGIN REPLACE INTO audit VALUES ('gone ' || old.id); END;
        """
      let a = try devices.open("a", script, tables: .except(["audit"]))
      let b = try devices.open("b", script, tables: .except(["audit"]))
      try a.execute("INSERT INTO item VALUES (1, 10), (2, 20), (3, 1)")
      try exchange(a, b)
      try a.execute("DELETE FROM item WHERE id = 2")
      try exchange(a, b)
      #expect(try b.rows("SELECT * FROM audit") == ["item 1", "item 2", "gone 2"])
      for session in [a, b] {
        #expect(try session.rows("SELECT total, changes FROM summary") == ["11|4"])
        #expect(try session.status().findings == [])
      }
      #expect(try a.store.digest().total == b.store.digest().total)
      // Local writes fire each trigger once, also after an import.
      try b.execute("INSERT INTO item VALUES (5, 5)")
      #expect(try b.rows("SELECT total, changes FROM summary") == ["16|5"])
      #expect(try b.rows("SELECT count(*) FROM audit") == ["4"])
      #expect(try Engine.verify(store: devices.path("b")).differenceCount == 0)
    }
  }

  @Test func `triggers that cannot fire on an import are named`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, "begin" INTEGER);
        CREATE TABLE u (id INTEGER PRIMARY KEY);
        CREATE TABLE cache (x);
        CREATE TABLE beside (x);
        CREATE VIEW both AS SELECT id FROM u;
        CREATE TRIGGER writes_both INSTEAD OF INSERT ON both BEGIN
          INSERT OR IGNORE INTO u VALUES (new.id); INSERT INTO 'cache' VALUES (new.id);
        END;
        CREATE TRIGGER through AFTER INSERT ON t BEGIN INSERT INTO both VALUES (new.id); END;
        CREATE TRIGGER refuses BEFORE UPDATE OF begin ON t BEGIN
          SELECT raise(ABORT, 'no; INSERT INTO u') WHERE new.begin < 0;
          DELETE FROM "cache" /* INSERT INTO u */ WHERE x = old.id;
        END;
        CREATE TRIGGER only_local AFTER INSERT ON beside BEGIN
          INSERT INTO u VALUES (new.x); INSERT INTO cache VALUES (new.x);
        END;
        CREATE TRIGGER only_checks BEFORE INSERT ON u BEGIN SELECT raise(ABORT, 'no') WHERE new.id < 0; END;
        """
      let tables = TableSelection.except(["cache", "beside"])
      let a = try devices.open("a", script, tables: tables)
      let b = try devices.open("b", script, tables: tables)
      let findings = try a.status().findings
      try #require(findings.count == 3, "\(findings)")
      #expect(findings[0].hasPrefix("trigger through writes"))
      #expect(findings[1].hasPrefix("trigger refuses writes"))
      #expect(findings[2].hasPrefix("trigger only_checks may refuse"))
      try a.execute("INSERT INTO t VALUES (1, 1); UPDATE t SET \"begin\" = 2")
      try exchange(a, b)
      #expect(try b.rows("SELECT id FROM u") == ["1"])
      #expect(try b.rows("SELECT x FROM cache") == [])
    }
  }

  @Test func `a row that comes back by a local write is found again, once`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.notes)
      let b = try devices.open("b", Self.notes)
      try a.execute("INSERT INTO note (id, title, body) VALUES (1, 'blue', 'word')")
      try b.execute("INSERT INTO note (id, title, body) VALUES (2, 'BLUE', 'green')")
      try exchange(a, b)
      #expect(try a.rows("SELECT id FROM note ORDER BY id") == ["1"])
      try expectWhole(a)
      try expectWhole(b)
      try a.execute("UPDATE note SET title = 'other' WHERE id = 1")
      #expect(try a.rows("SELECT id FROM note ORDER BY id") == ["1", "2"])
      try expectWhole(a)
      // The triggers themselves fire once again, their copies no more.
      try a.execute("INSERT INTO note (id, title, body) VALUES (3, 'third', 'word')")
      try exchange(a, b)
      try expectWhole(a)
      try expectWhole(b)
      #expect(try b.rows("SELECT id FROM note ORDER BY id") == ["1", "2", "3"])
    }
  }

  @Test(arguments: 3...9)
  func `a row that cannot be shown takes no other one with it`(count: Int) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = """
        CREATE TABLE e (k TEXT PRIMARY KEY NOT NULL, u UNIQUE);
        CREATE VIRTUAL TABLE f USING fts5(u);
        CREATE TRIGGER i AFTER INSERT ON e BEGIN INSERT INTO f VALUES (NEW.u); END;
        CREATE TRIGGER d AFTER DELETE ON e BEGIN DELETE FROM f WHERE u IS OLD.u; END
        """
      let a = try devices.open("a", script)
      let b = try devices.open("b", script)
      try a.execute("INSERT INTO e VALUES ('z', 'z')")
      try exchange(a, b)
      try a.execute("INSERT INTO e VALUES ('a', 'clash')")
      try b.execute("INSERT INTO e VALUES ('c', 'clash')")
      for number in 1...count { try b.execute("INSERT INTO e VALUES ('d\(number)', \(number))") }
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT count(*) FROM e") == ["\(count + 2)"])
        #expect(
          try session.rows("SELECT u FROM f ORDER BY u")
            == session.rows("SELECT CAST(u AS TEXT) FROM e ORDER BY 1"))
      }
      let c = try devices.open("c", script)
      try expectEqualAfterExchange(a, b, c)
      #expect(try c.rows("SELECT count(*) FROM f") == ["\(count + 2)"])
    }
  }

  @Test func `triggers made between two imports fire from then on`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = "CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE TABLE seen (id)"
      let tables = TableSelection.except(["seen"])
      let a = try devices.open("a", script, tables: tables)
      let b = try devices.open("b", script, tables: tables)
      for (number, statement) in [
        "SELECT 1",
        "CREATE TRIGGER s AFTER INSERT ON t BEGIN INSERT INTO seen VALUES (new.id); END",
        "SELECT 2",
        "DROP TRIGGER s",
        "CREATE TRIGGER s AFTER INSERT ON t BEGIN INSERT INTO seen VALUES (-new.id); END",
      ].enumerated() {
        try b.execute(statement)
        try a.execute("INSERT INTO t VALUES (\(number))")
        try exchange(a, b)
      }
      #expect(try b.rows("SELECT id FROM seen") == ["1", "2", "-4"])
    }
  }

  @Test func `a trigger that may refuse is named, and is nothing that the doctor finds amiss`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open(
        "a",
        """
        CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER);
        CREATE TRIGGER positive BEFORE INSERT ON t WHEN new.n < 0 BEGIN
          SELECT RAISE(ABORT, 'negative; that is too little');
        END
        """)
      let found = try a.status().findings
      try #require(found.count == 1, "\(found)")
      #expect(found[0].hasPrefix("trigger positive may refuse a write (RAISE)"))
      #expect(
        try Engine.diagnose(store: devices.path("a")).filter { $0.code == .trigger }.map(\.severity)
          == [.note])
    }
  }
}
