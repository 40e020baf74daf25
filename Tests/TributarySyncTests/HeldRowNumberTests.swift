import Foundation
import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// What becomes of rows that are out of their table, or show something else than they refer to,
/// when others are written in their places.
struct HeldRowNumberTests {
  private static let music = """
    CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, artist INTEGER NOT NULL REFERENCES artist);
    """

  @Test func `held rows that lose their numbers in one commit keep to each other`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.music)
      let b = try devices.open("b", Self.music)
      try a.execute("INSERT INTO artist VALUES (6, 'X'); INSERT INTO album VALUES (6, 'First', 6)")
      try b.execute("INSERT INTO artist VALUES (7, 'X'); INSERT INTO album VALUES (7, 'Second', 7)")
      try exchange(a, b)
      #expect(try b.rows("SELECT * FROM artist") == ["6|X"])
      // SQLite gives the numbers of the held rows again.
      try b.execute(
        "INSERT INTO artist (name) VALUES ('Z'); INSERT INTO album VALUES (7, 'Third', 7)")
      try exchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows(
            "SELECT title, name FROM album JOIN artist ON artist.id = artist ORDER BY 1")
            == ["First|X", "Third|Z"])
        // Each is held, and no value of it has lost against another.
        #expect(try session.conflicts().map(\.isHeld) == [true, true])
      }
      try a.execute("UPDATE artist SET name = 'Y' WHERE id = 6")
      try exchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows(
            "SELECT title, name FROM album JOIN artist ON artist.id = artist ORDER BY 1")
            == ["First|Y", "Second|X", "Third|Z"])
        #expect(try session.conflicts() == [])
      }
    }
  }

  @Test func `an update does not say how the key of a held row is spelled`() throws {
    try withTemporaryDirectory { directory in
      let script = "CREATE TABLE t (k TEXT COLLATE NOCASE PRIMARY KEY NOT NULL, u UNIQUE, n)"
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", script)
      let b = try devices.open("b", script)
      let c = try devices.open("c", script)
      try a.execute("INSERT INTO t VALUES ('x', 1, 0)")
      try c.execute("INSERT INTO t VALUES ('A', 2, 0)")
      try b.execute("INSERT INTO t VALUES ('a', 1, 0)")
      for session in [c, a, b] { try session.exchange() }
      try c.execute("UPDATE t SET n = 5 WHERE k = 'A'")
      try exchange(c, a, b)
      for session in [a, b, c] {
        let held = try session.conflicts().filter(\.isHeld)
        #expect(held.map(\.key) == [["a"]])
        #expect(held.first?.values.last?.value == 5)
      }
    }
  }

  @Test func `rows stay in their table while the logs to decide about them are missing`() throws {
    try withTemporaryDirectory { directory in
      let script = """
        CREATE TABLE parent (id INTEGER PRIMARY KEY);
        CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent ON DELETE SET NULL);
        """
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", script)
      let b = try devices.open("b", script)
      try a.execute("INSERT INTO parent VALUES (1)")
      try exchange(a, b)
      try a.execute("DELETE FROM parent")
      try b.execute("INSERT INTO child VALUES (1, 1)")
      try exchange(a, b)
      #expect(try b.rows("SELECT * FROM child") == ["1|null"])
      try b.execute("INSERT INTO child VALUES (2, NULL)")
      try FileManager.default.removeItem(
        atPath: "\(devices.container)/tributary/C/peers/\(a.store.identity().peer)/log")
      _ = try b.synchronize()
      #expect(try b.rows("SELECT * FROM child ORDER BY id") == ["1|null", "2|null"])
    }
  }
}
