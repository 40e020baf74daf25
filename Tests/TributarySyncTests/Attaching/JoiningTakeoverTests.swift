import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What a joining database says of a number that was taken over from a held row.
struct JoiningTakeoverTests {
  private static let tables = """
    CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, artist INTEGER REFERENCES artist (id));
    """
  private static let albums =
    "SELECT title, name FROM album JOIN artist AS r ON r.id = artist ORDER BY 1"

  /// Has `b` join again after a program has written its database. Artist 2 'Joni' is held, and 'Neil' has her
  /// number. If the last file of `a` is withheld, it comes afterwards.
  private func withTakeover(
    _ sql: String, withholding isWithheld: Bool,
    _ body: (_ a: SyncSession, _ b: SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.tables)
      do {
        let b = try devices.open("b", Self.tables)
        try a.execute("INSERT INTO artist VALUES (1, 'Joni')")
        try b.execute("INSERT INTO artist VALUES (2, 'Joni')")
        try exchange(a, b)
        try a.execute("INSERT INTO artist (name) VALUES ('Neil')")
        try a.execute("INSERT INTO album VALUES (9, 'Blue', 1)")
        try exchange(a, b)
        #expect(
          try b.rows("SELECT id, name FROM artist ORDER BY id") == ["1|Joni", "2|Neil"])
      }
      try a.execute("INSERT INTO album VALUES (20, 'Last', 1)")
      try a.exchange()
      let log = "\(devices.container)/tributary/C/peers/\(a.store.peer)/log"
      let last = try #require(FileManager.default.contentsOfDirectory(atPath: log).max())
      let file = URL(filePath: "\(log)/\(last)")
      let bytes = try Data(contentsOf: file)
      if isWithheld { try FileManager.default.removeItem(at: file) }
      try Engine.detach(store: devices.path("b"), removeLogs: false)
      let program = try Connection(path: devices.path("b"), mode: .readWrite)
      try program.execute(sql)
      program.close()
      #expect(try devices.attach("b").isComplete == !isWithheld)
      let b = try SyncSession(store: devices.path("b"))
      try bytes.write(to: file)
      try expectEqualAfterExchange(a, b)
      try body(a, b)
      #expect(try Engine.verify(store: devices.path("b")).differenceCount == 0)
    }
  }

  @Test func `a row that refers to the new row goes on to do so where logs were missing`() throws {
    try withTakeover("INSERT INTO album VALUES (10, 'Harvest', 2)", withholding: true) { a, b in
      for session in [a, b] {
        let albums = try session.rows(Self.albums)
        #expect(albums == ["Blue|Joni", "Harvest|Neil", "Last|Joni"])
      }
    }
  }

  @Test func `a reference to the new row that has lost can be restored`() throws {
    try withTakeover("UPDATE album SET artist = 2 WHERE id = 9", withholding: false) { a, b in
      let conflict = try #require(try b.conflicts().first { $0.kind == .update })
      #expect(conflict.values.map(\.value) == [.integer(2)])
      try b.resolve(conflict.id, .restore)
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(try session.rows(Self.albums) == ["Blue|Neil", "Last|Joni"])
      }
    }
  }

  @Test func `what the database says of the held row is about that row`() throws {
    // It is an older copy, in which she has her number.
    try withTakeover(
      "UPDATE artist SET name = 'Joni M' WHERE id = 1; UPDATE artist SET name = 'Joni' WHERE id = 2",
      withholding: false
    ) { a, b in
      for session in [a, b] {
        #expect(
          try session.rows("SELECT id, name FROM artist ORDER BY id") == ["1|Joni", "2|Neil"])
        let conflict = try #require(try session.conflicts().first { $0.kind == .update })
        #expect(conflict.key == [.integer(1)])
        #expect(try session.conflicts().count == 2)
      }
    }
  }
}
