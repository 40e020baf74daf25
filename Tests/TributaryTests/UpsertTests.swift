import Testing
import Tributary

/// What REPLACE, IGNORE and upserts did where they ran is what arrives elsewhere.
struct UpsertTests {
  private static let schema = """
    CREATE TABLE album (id TEXT PRIMARY KEY NOT NULL, title TEXT UNIQUE, plays INTEGER, note TEXT);
    CREATE TABLE track (
      id TEXT PRIMARY KEY NOT NULL, album TEXT NOT NULL REFERENCES album (id) ON DELETE CASCADE)
    """

  private static let all = "SELECT * FROM album ORDER BY id"

  private func withAlbums(_ body: (Store, Store) throws -> Void) async throws {
    try await withTwoDevices(Self.schema) { a, b in
      try a.execute(
        """
        INSERT INTO album VALUES ('a', 'Blue', 1, 'old'), ('b', 'Hejira', 2, 'old');
        INSERT INTO track VALUES ('t', 'a'), ('u', 'b')
        """)
      try settle(a, b)
      try body(a, b)
    }
  }

  @Test(
    arguments: [
      (
        "INSERT OR REPLACE INTO album VALUES ('a', 'Mingus', 3, NULL)", ["a|Mingus|3|null"], ["u|b"]
      ),
      ("INSERT OR REPLACE INTO album VALUES ('c', 'Blue', 3, NULL)", ["c|Blue|3|null"], ["u|b"]),
      ("INSERT OR REPLACE INTO album VALUES ('a', 'Hejira', 3, NULL)", ["a|Hejira|3|null"], []),
      ("UPDATE OR REPLACE album SET title = 'Hejira' WHERE id = 'a'", ["a|Hejira|1|old"], ["t|a"]),
    ] as [(String, [String], [String])])
  func `the rows that REPLACE removes are gone everywhere, with what cascades from them`(
    sql: String, albums: [String], tracks: [String]
  ) async throws {
    try await withAlbums { a, b in
      try a.execute(sql)
      let other = tracks.contains("u|b") ? ["b|Hejira|2|old"] : []
      #expect(try a.rows(Self.all) == (albums + other).sorted())
      #expect(try a.rows("SELECT * FROM track") == tracks)
      try settle(a, b)
      #expect(try b.rows(Self.all) == (albums + other).sorted())
      #expect(try b.rows("SELECT * FROM track") == tracks)
      #expect(try b.conflicts().isEmpty)
    }
  }

  @Test func `an upsert that finds its row updates the columns that it names and no others`()
    async throws
  {
    try await withAlbums { a, b in
      let upsert = """
        INSERT INTO album VALUES ('a', 'Blue', 1, NULL)
        ON CONFLICT (id) DO UPDATE SET plays = plays + 10
        """
      try a.execute(upsert)
      try b.execute("UPDATE album SET note = 'new' WHERE id = 'a'")
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows(Self.all) == ["a|Blue|11|new", "b|Hejira|2|old"])
        #expect(try store.conflicts().isEmpty)
      }
    }
  }

  @Test func `upserts of one new row on two devices leave one row and one conflict`() async throws {
    try await withAlbums { a, b in
      for (store, note) in [(a, "by a"), (b, "by b")] {
        try store.execute(
          """
          INSERT INTO album VALUES ('n', 'New', 1, '\(note)')
          ON CONFLICT (title) DO UPDATE SET note = excluded.note
          """)
      }
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM album WHERE id = 'n'") == ["n|New|1|by b"])
        let conflicts = try store.conflicts()
        #expect(conflicts.map(\.kind) == [.insert])
        #expect(conflicts.map { $0.values.map(\.column) } == [["note"]])
        #expect(conflicts.map { $0.values.map(\.value) } == [[.string("by a")]])
      }
    }
  }

  @Test(arguments: [
    "INSERT OR IGNORE INTO album VALUES ('a', 'Other', 1, NULL)",
    "INSERT INTO album VALUES ('z', 'Blue', 1, NULL) ON CONFLICT DO NOTHING",
    "INSERT OR REPLACE INTO album VALUES ('c', 'New', 1, NULL); DELETE FROM album WHERE id = 'c'",
  ])
  func `what has changed nothing is not published`(sql: String) async throws {
    try await withAlbums { a, _ in
      try a.execute(sql)
      #expect(try a.synchronizeNow().published.transactions == 0)
    }
  }
}
