import Testing
import Tributary

/// Foreign keys of less usual forms between two devices.
struct ReferenceTests {
  @Test func `below a row that is gone a whole tree of its own table is held and returns`()
    async throws
  {
    let schema = "CREATE TABLE node (id TEXT PRIMARY KEY NOT NULL, up TEXT REFERENCES node (id))"
    try await withTwoDevices(schema) { a, b in
      try a.execute("INSERT INTO node VALUES ('root', NULL), ('self', 'self')")
      try settle(a, b)
      try a.execute("DELETE FROM node WHERE id = 'root'")
      try b.execute("INSERT INTO node VALUES ('x', 'root'), ('y', 'x'), ('z', 'y')")
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM node") == ["self|self"])
        #expect(
          try store.conflicts().map(\.key) == [[.string("x")], [.string("y")], [.string("z")]])
      }
      try a.execute("INSERT INTO node VALUES ('root', 'self')")
      try settle(a, b)
      for store in [a, b] {
        #expect(
          try store.rows("SELECT * FROM node ORDER BY id") == [
            "root|self", "self|self", "x|root", "y|x", "z|y",
          ])
        #expect(try store.conflicts().isEmpty)
      }
    }
  }

  @Test func `a foreign key of two columns holds when both are given, and not when one is NULL`()
    async throws
  {
    let schema = """
      CREATE TABLE disc (album TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (album, number));
      CREATE TABLE track (
        id TEXT PRIMARY KEY NOT NULL, album TEXT, number INTEGER,
        FOREIGN KEY (album, number) REFERENCES disc (album, number) ON DELETE CASCADE)
      """
    try await withTwoDevices(schema) { a, b in
      try a.execute("INSERT INTO disc VALUES ('Blue', 1), ('Blue', 2)")
      try settle(a, b)
      try a.execute("DELETE FROM disc WHERE number = 2")
      try b.execute(
        "INSERT INTO track VALUES ('p', 'Blue', 1), ('q', 'Blue', 2), ('r', 'Blue', NULL)")
      try settle(a, b)
      for store in [a, b] {
        #expect(
          try store.rows("SELECT * FROM track ORDER BY id") == ["p|Blue|1", "r|Blue|null"])
        #expect(try store.conflicts().map(\.key) == [[.string("q")]])
      }
      try b.execute("INSERT INTO disc VALUES ('Blue', 2)")
      try settle(a, b)
      #expect(
        try a.rows("SELECT * FROM track ORDER BY id") == ["p|Blue|1", "q|Blue|2", "r|Blue|null"])
    }
  }

  @Test func `through three tables children are held with their parents`() async throws {
    let schema = """
      CREATE TABLE artist (id TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE album (
        id TEXT PRIMARY KEY NOT NULL, artist TEXT REFERENCES artist (id) ON DELETE CASCADE);
      CREATE TABLE track (
        id TEXT PRIMARY KEY NOT NULL, album TEXT REFERENCES album (id) ON DELETE CASCADE)
      """
    try await withTwoDevices(schema) { a, b in
      try a.execute("INSERT INTO artist VALUES ('x'); INSERT INTO album VALUES ('old', 'x')")
      try settle(a, b)
      try a.execute("DELETE FROM artist")
      try b.execute(
        """
        INSERT INTO album VALUES ('new', 'x');
        INSERT INTO track VALUES ('1', 'old'), ('2', 'new')
        """)
      try settle(a, b)
      for store in [a, b] {
        for table in ["artist", "album", "track"] {
          #expect(try store.rows("SELECT * FROM \(table)").isEmpty)
        }
        #expect(try store.conflicts().map(\.table) == ["album", "track", "track"])
        #expect(try store.conflicts().map(\.winner.peer) == [a.peer, a.peer, a.peer])
      }
      // The track of the old album needs that album, which was deleted, before it can return.
      let track = try #require(try a.conflicts().first { $0.key == [.string("1")] })
      #expect(try a.resolve(track, .restore))
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM artist") == ["x"])
        #expect(try store.rows("SELECT * FROM album ORDER BY id") == ["new|x", "old|x"])
        #expect(try store.rows("SELECT * FROM track ORDER BY id") == ["1|old", "2|new"])
        #expect(try store.conflicts().isEmpty)
      }
    }
  }

  @Test func `rows that refer to each other by deferred keys arrive together`() async throws {
    let schema = """
      CREATE TABLE egg (
        id TEXT PRIMARY KEY NOT NULL, hen TEXT REFERENCES hen (id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TABLE hen (
        id TEXT PRIMARY KEY NOT NULL, egg TEXT REFERENCES egg (id) DEFERRABLE INITIALLY DEFERRED)
      """
    try await withTwoDevices(schema) { a, b in
      try a.execute("INSERT INTO egg VALUES ('e', 'h'); INSERT INTO hen VALUES ('h', 'e')")
      try settle(a, b)
      #expect(try b.rows("SELECT * FROM egg, hen") == ["e|h|h|e"])
      try b.execute("DELETE FROM egg; DELETE FROM hen")
      try a.execute("INSERT INTO hen VALUES ('i', 'e')")
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM egg").isEmpty)
        #expect(try store.rows("SELECT * FROM hen").isEmpty)
        #expect(try store.conflicts().map(\.key) == [[.string("i")]])
      }
    }
  }
}
