import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Triggers for what is not replicated, where rows only move aside until others are in place.
struct RowsAsideTests {
  private static let indexed = """
    CREATE TABLE e (k TEXT PRIMARY KEY NOT NULL, u UNIQUE);
    CREATE VIRTUAL TABLE f USING fts5(u); CREATE TABLE log (what);
    CREATE TRIGGER i AFTER INSERT ON e BEGIN INSERT INTO f VALUES (NEW.u); END;
    """

  private static let logged = """
    CREATE TABLE e (k TEXT PRIMARY KEY NOT NULL, u UNIQUE, twice AS (u || u));
    CREATE TABLE log (what);
    CREATE TRIGGER i AFTER INSERT ON main.e BEGIN
      INSERT INTO log VALUES ('+' || NEW.k || NEW.twice);
    END;
    CREATE TRIGGER u BEFORE UPDATE OF u ON "e" FOR EACH ROW
    WHEN OLD.u IS NOT 7 OR 1 -- always
    BEGIN INSERT INTO log VALUES (OLD.k || OLD.twice || '>' || NEW.twice); END;
    """

  private func withTwo(
    _ script: String, _ body: (SyncSession, SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let tables = TableSelection.except(["log"])
      let a = try devices.open("a", script, tables: tables)
      let b = try devices.open("b", script, tables: tables)
      try a.execute("INSERT INTO e (k, u) VALUES ('a', 1), ('b', 2), ('c', 3)")
      try exchange(a, b)
      try body(a, b)
    }
  }

  private static let rotation = """
    UPDATE e SET u = -u; UPDATE e SET u = CASE k WHEN 'a' THEN 2 WHEN 'b' THEN 3 ELSE 1 END
    """

  @Test func `rows that exchange unique values stay once in an index that only inserts`() throws {
    try withTwo(Self.indexed) { a, b in
      try a.execute(Self.rotation)
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT u FROM f ORDER BY u") == ["1", "2", "3"])
      }
    }
  }

  @Test func `triggers see what rows that exchange unique values were, and what they are`() throws {
    try withTwo(Self.logged) { a, b in
      try b.execute("DELETE FROM log")
      try a.execute(Self.rotation)
      try expectEqualAfterExchange(a, b)
      #expect(
        try b.rows("SELECT what FROM log ORDER BY what") == ["a11>22", "b22>33", "c33>11"])
    }
  }

  @Test func `a row that is looked at for one that clashes with it fires nothing`() throws {
    try withTwo(Self.logged) { a, b in
      try a.execute("INSERT INTO e (k, u) VALUES ('x', 9)")
      try b.execute("INSERT INTO e (k, u) VALUES ('y', 9), ('z', 8)")
      try a.exchange()
      try b.execute("DELETE FROM log")
      try b.exchange()
      try a.execute("DELETE FROM log")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT k FROM e ORDER BY k") == ["a", "b", "c", "x", "z"])
      // The one that stood here first makes room where it comes second.
      #expect(try a.rows("SELECT what FROM log ORDER BY what") == ["+z88"])
      #expect(try b.rows("SELECT what FROM log ORDER BY what") == ["+x99"])
      for session in [a, b] { try session.execute("DELETE FROM log") }
      // The row that was held comes back in the same commit, and by the import.
      try a.execute("UPDATE e SET u = 10 WHERE k = 'x'")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT what FROM log ORDER BY what") == ["+y99", "x99>1010"])
      #expect(try b.rows("SELECT what FROM log ORDER BY what") == ["+y99", "x99>1010"])
    }
  }

  @Test func `a row that moves aside and is deleted then does not come again`() throws {
    try withTwo(Self.logged) { a, b in
      try b.execute("DELETE FROM log")
      try a.execute("DELETE FROM e WHERE k = 'b'; UPDATE e SET u = 2 WHERE k = 'a'")
      try a.execute("DELETE FROM e WHERE k = 'a'; INSERT INTO e (k, u) VALUES ('d', 1)")
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT k FROM e ORDER BY k") == ["c", "d"])
      #expect(try b.rows("SELECT what FROM log ORDER BY what") == ["+d11"])
    }
  }

  @Test func `a row that moves aside keeps the number by which an index knows it`() throws {
    let script = """
      CREATE TABLE e (k TEXT PRIMARY KEY NOT NULL, u UNIQUE);
      CREATE VIRTUAL TABLE f USING fts5(k); CREATE TABLE log (what);
      CREATE TRIGGER i AFTER INSERT ON e BEGIN
        INSERT INTO f (rowid, k) VALUES (NEW.rowid, NEW.k);
      END;
      """
    try withTwo(script) { a, b in
      try a.execute(Self.rotation)
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows("SELECT f.k FROM e JOIN f ON f.rowid = e.rowid AND f.k = e.k ORDER BY 1")
            == ["a", "b", "c"])
      }
    }
  }
}
