import Testing
import Tributary
import TributaryTesting

import class TributarySQLite.Connection

/// Two devices with copies of one music library, whose rows are numbered by SQLite.
struct MusicLibraryTests {
  private static let library = """
    CREATE TABLE artist (id INTEGER NOT NULL, name TEXT, CONSTRAINT pk_artist PRIMARY KEY (id));
    CREATE TABLE album (
      id INTEGER PRIMARY KEY, title TEXT NOT NULL, artist INTEGER NOT NULL REFERENCES artist (id));
    CREATE TABLE track (
      id INTEGER PRIMARY KEY, title TEXT NOT NULL, album INTEGER REFERENCES album (id),
      milliseconds INTEGER NOT NULL);
    CREATE INDEX album_artist ON album (artist);
    CREATE INDEX track_album ON track (album);
    INSERT INTO artist VALUES (1, 'Joni Mitchell'), (2, 'Nina Simone');
    INSERT INTO album VALUES (1, 'Blue', 1), (2, 'Hejira', 1), (3, 'Pastel Blues', 2);
    INSERT INTO track VALUES (1, 'All I Want', 1, 212000), (2, 'Carey', 1, 182000),
      (3, 'Coyote', 2, 301000), (4, 'Sinnerman', 3, 620000);
    """

  private static let adopted = [
    "Joni Mitchell|Blue|All I Want", "Joni Mitchell|Blue|Carey", "Joni Mitchell|Hejira|Coyote",
    "Nina Simone|Pastel Blues|Sinnerman",
  ]

  /// Each track under its album and its artist.
  private static let tree = """
    SELECT artist.name, album.title, track.title FROM track
    LEFT JOIN album ON album.id = track.album LEFT JOIN artist ON artist.id = album.artist
    ORDER BY 1, 2, 3
    """

  /// Adds an artist with two albums and three tracks; SQLite numbers the rows.
  private func add(_ artist: String, to store: Store) throws {
    try store.write { db in
      try db.execute("INSERT INTO artist (name) VALUES (?)", artist)
      for (title, tracks) in [("First", ["One", "Two"]), ("Second", ["Three"])] {
        try db.execute(
          "INSERT INTO album (title, artist) SELECT ?, max(id) FROM artist", "\(title) of \(artist)"
        )
        for track in tracks {
          try db.execute(
            "INSERT INTO track (title, album, milliseconds) SELECT ?, max(id), 1000 FROM album",
            "\(track) by \(artist)")
        }
      }
    }
  }

  /// What a device shows after `add`.
  private func added(_ artist: String) -> [String] {
    [("First", "One"), ("First", "Two"), ("Second", "Three")].map { album, track in
      "\(artist)|\(album) of \(artist)|\(track) by \(artist)"
    }
  }

  /// Two devices that have adopted copies of the library and know each other.
  private func withLibraries(
    isPublishedFirst: Bool, _ body: (Store, Store) throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      for name in ["a", "b"] {
        let connection = try Connection(path: devices.path(name), mode: .create)
        try connection.execute(Self.library)
        connection.close()
      }
      let a = try await devices.open("a", schema: [])
      if isPublishedFirst { try a.synchronizeNow() }
      let b = try await devices.open("b", schema: [])
      try settle(a, b)
      try body(a, b)
    }
  }

  @Test(arguments: [false, true])
  func `copies of one library are adopted as the same rows, and rows added offline all survive`(
    isPublishedFirst: Bool
  ) async throws {
    try await withLibraries(isPublishedFirst: isPublishedFirst) { a, b in
      #expect(try a.rows(Self.tree) == Self.adopted)
      #expect(try a.conflicts().isEmpty)
      try add("Alice", to: a)
      try add("Bob", to: b)
      #expect(try a.rows("SELECT max(id) FROM track") == b.rows("SELECT max(id) FROM track"))
      try settle(a, b)
      for store in [a, b] {
        #expect(
          try store.rows(Self.tree) == (Self.adopted + added("Alice") + added("Bob")).sorted())
        #expect(try store.rows("SELECT id FROM artist WHERE name = 'Alice'") == ["3"])
        #expect(
          try ["artist", "album", "track"].flatMap {
            try store.rows("SELECT count(*), sum(id < 0) FROM \($0)")
          } == ["4|1", "7|2", "10|3"])
        #expect(try store.conflicts().isEmpty)
      }
    }
  }

  @Test func `who numbered a row goes on with its new number, and counts on as before`()
    async throws
  {
    try await withLibraries(isPublishedFirst: true) { a, b in
      try add("Alice", to: a)
      try add("Bob", to: b)
      try settle(a, b)
      try b.execute("UPDATE artist SET name = 'Robert' WHERE name = 'Bob'")
      try add("Carol", to: b)
      try settle(a, b)
      for store in [a, b] {
        #expect(
          try store.rows("SELECT name FROM artist ORDER BY name") == [
            "Alice", "Carol", "Joni Mitchell", "Nina Simone", "Robert",
          ])
        #expect(try store.rows("SELECT id FROM artist WHERE name = 'Carol'") == ["4"])
        #expect(try store.rows(Self.tree).filter { $0.hasPrefix("Robert|") }.count == 3)
        #expect(try store.rows(Self.tree).filter { $0.hasPrefix("Carol|") } == added("Carol"))
      }
    }
  }

  @Test func `children that name the old number by a literal follow their parent`() async throws {
    try await withLibraries(isPublishedFirst: false) { a, b in
      try add("Alice", to: a)
      try add("Bob", to: b)
      // An object in memory refers to the artist by the number that it has seen.
      try b.execute("INSERT INTO album (title, artist) VALUES ('Late', 3)")
      try b.execute(
        "INSERT INTO track (title, album, milliseconds) SELECT 'Later', max(id), 1 FROM album")
      try settle(a, b)
      for store in [a, b] {
        #expect(
          try store.rows(Self.tree)
            == (Self.adopted + added("Alice") + added("Bob") + ["Bob|Late|Later"]).sorted())
        #expect(try store.conflicts().isEmpty)
      }
    }
  }
}
