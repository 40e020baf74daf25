import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Stores that follow, and have other names for what they take, or cannot take it from anyone.
struct FollowingRenamedTests {
  private static let first = Migration(
    name: "1",
    sql: """
      CREATE TABLE album (id INTEGER PRIMARY KEY, label TEXT);
      CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT)
      """)
  private static let second = Migration(
    name: "2",
    sql: """
      -- tributary: rename album to record
      ALTER TABLE album RENAME TO record;
      -- tributary: rename record.label to record.publisher
      ALTER TABLE record RENAME COLUMN label TO publisher;
      ALTER TABLE record ADD COLUMN year INTEGER DEFAULT 1970;
      ALTER TABLE record ADD COLUMN artist INTEGER REFERENCES artist;
      ALTER TABLE artist ADD COLUMN debut INTEGER REFERENCES record;
      CREATE INDEX by_publisher ON record (publisher)
      """)

  private func withTwo(_ body: (SyncDevices, SyncSession, SyncSession) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.first.sql)
      let b = try devices.openFollowing("b", Self.first.sql)
      try a.execute("INSERT INTO album VALUES (1, 'Reprise')")
      try expectEqualAfterExchange(a, b)
      try body(devices, a, b)
    }
  }

  @Test func `columns, references and indexes of a renamed table come under the names here`() throws
  {
    try withTwo { devices, a, b in
      try a.store.migrate([Self.first, Self.second])
      try a.execute(
        """
        INSERT INTO artist VALUES (1, 'Joni', 1);
        UPDATE record SET artist = 1, year = 1971, publisher = 'Asylum'
        """)
      try a.exchange()
      let report = try b.synchronize()
      #expect(report.waiting.isEmpty)
      #expect(report.imported.schemas.map(\.peer) == [a.store.peer])
      #expect(
        report.imported.schemas.map(\.made) == [
          [
            "column year of table album", "column artist of table album",
            "column debut of table artist", "index by_publisher on album",
          ]
        ])
      #expect(
        report.imported.schemas.map(\.left) == [
          [
            "column label of table album is called publisher there",
            "table album is called record there",
          ]
        ])
      #expect(try b.rows("SELECT * FROM album") == ["1|Asylum|1971|1"])
      #expect(try b.rows("SELECT * FROM artist") == ["1|Joni|1"])
      #expect(
        try b.rows("SELECT \"table\" FROM pragma_foreign_key_list('artist')") == ["album"])
      try b.execute("INSERT INTO album VALUES (2, 'R', 1972, 1)")
      try exchange(b, a)
      #expect(
        try a.rows("SELECT * FROM record ORDER BY id") == ["1|Asylum|1971|1", "2|R|1972|1"])
      // The application comes later, and passes over what is there.
      try b.store.migrate([Self.first, Self.second])
      try expectEqualAfterExchange(a, b)
      for name in ["a", "b"] {
        #expect(try Engine.verify(store: devices.path(name)).differenceCount == 0)
      }
    }
  }

  @Test func `of two defaults, a third device says who has which, and what to do`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let sessions = try ["a", "b", "c"].map { try devices.openFollowing($0, Self.first.sql) }
      let (a, b, c) = (sessions[0], sessions[1], sessions[2])
      try a.execute("INSERT INTO album VALUES (1, 'Reprise')")
      try expectEqualAfterExchange(a, b, c)
      try b.execute("ALTER TABLE album ADD COLUMN year DEFAULT 1")
      try c.execute("ALTER TABLE album ADD COLUMN year DEFAULT 2")
      try b.execute("INSERT INTO album VALUES (2, 'b', 7)")
      try c.execute("INSERT INTO album VALUES (3, 'c', 7)")
      for session in [b, c] { _ = try session.synchronize() }
      let expected =
        "the devices do not agree on the default of column year of table album: peer \(b.store.peer) has 1, "
        + "peer \(c.store.peer) has 2"
      func isNamed(_ text: String) -> Bool {
        text.contains(expected) && text.contains("on the device that is wrong")
      }
      // Before and after a synchronisation.
      for _ in 0..<2 {
        let status = try a.status().waiting.map { "\($0)" }
        #expect(status.count == 2)
        #expect(status.contains(where: isNamed))
        #expect(try a.synchronize().waiting.map { "\($0)" }.contains(where: isNamed))
      }
      #expect(try a.rows("SELECT * FROM album") == ["1|Reprise"])
    }
  }
}
