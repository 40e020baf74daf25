import Foundation
import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// References that no foreign key says, as many programs have them.
struct DeclaredReferenceTests {
  private static let script = """
    CREATE TABLE albums (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE items (id INTEGER PRIMARY KEY, title TEXT, album_id INTEGER);
    CREATE TABLE tags (item TEXT, tag TEXT, PRIMARY KEY (item, tag))
    """
  private static let merge = MergeOptions(tables: [
    "items": TableMerge(references: ["album_id": DeclaredReference("albums", "id")]),
    "tags": TableMerge(references: ["item": DeclaredReference("items", "id")]),
  ])

  private func expectAsLogsSay(_ devices: SyncDevices, _ names: String...) throws {
    for name in names {
      #expect(try Engine.verify(store: devices.path(name)).differences.isEmpty)
    }
  }

  @Test func `a key that is declared to refer to rows joins a table with other columns`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let parent = "CREATE TABLE albums (id INTEGER PRIMARY KEY, name TEXT);"
      func open(
        _ name: String, _ table: String, _ merge: MergeOptions? = nil
      ) throws -> SyncSession {
        try Connection(path: devices.path(name), mode: .create).execute(parent + table)
        return try devices.open(name, merge: merge)
      }
      let a = try open(
        "a", "CREATE TABLE covers (album INTEGER PRIMARY KEY, x)",
        MergeOptions(tables: [
          "covers": TableMerge(references: ["album": DeclaredReference("albums", "id")])
        ]))
      try a.execute("INSERT INTO albums VALUES (1, 'one'); INSERT INTO covers VALUES (1, 'a')")
      try a.exchange()
      let b = try open("b", "CREATE TABLE covers (album INTEGER PRIMARY KEY, x, y)")
      try b.execute("INSERT INTO albums VALUES (2, 'two'); INSERT INTO covers VALUES (2, 'b', 0)")
      try a.execute("ALTER TABLE covers ADD COLUMN y")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT album, x FROM covers ORDER BY album") == ["1|a", "2|b"])
      try expectAsLogsSay(devices, "a", "b")
    }
  }

  @Test
  func `columns follow rows whose numbers were given twice, and other devices take that over`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script, merge: Self.merge)
      try a.exchange()
      let b = try devices.open("b", Self.script)
      #expect(try b.store.mergeOptions() == Self.merge)
      for (session, name) in [(a, "one"), (b, "two")] {
        try session.execute(
          """
          INSERT INTO albums (name) VALUES ('\(name)');
          INSERT INTO items (title, album_id) VALUES ('\(name)', 1), ('nowhere', 77);
          INSERT INTO tags VALUES ('1', '\(name)'), (' 01', 'spelled')
          """)
      }
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows(
            """
            SELECT i.title, a.name, t.tag FROM items AS i JOIN albums AS a ON a.id = i.album_id
            JOIN tags AS t ON CAST(t.item AS INTEGER) = i.id ORDER BY 1, 3
            """) == ["one|one|one", "one|one|spelled", "two|two|spelled", "two|two|two"])
        // They demand nothing.
        #expect(
          try session.rows("SELECT count(*) FROM items WHERE album_id = 77") == ["2"])
        #expect(try session.conflicts() == [])
      }
      try expectAsLogsSay(devices, "a", "b")
      let digest = try a.store.digest().total
      do {
        let c = try devices.open("c")
        try c.exchange()
        #expect(try c.store.digest().total == digest)
        #expect(try c.store.mergeOptions() == Self.merge)
      }
      _ = try Engine.rebuild(store: devices.path("c"))
      #expect(try SyncSession(store: devices.path("c")).store.digest().total == digest)
    }
  }

  @Test func `visible rows go with a held one when its number is given again`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = Self.script + ";\nCREATE TABLE covers (id INTEGER PRIMARY KEY, file TEXT)"
      let merge = Self.merge.merging(
        MergeOptions(tables: [
          "covers": TableMerge(references: ["id": DeclaredReference("albums", "id")])
        ]))
      let a = try devices.open("a", script, merge: merge)
      let b = try devices.open("b", script, merge: merge)
      try a.execute("INSERT INTO albums (name) VALUES ('x')")
      try b.execute(
        """
        INSERT INTO albums (name) VALUES ('other'), ('x');
        INSERT INTO items (title, album_id) VALUES ('track', 2), ('second', NULL);
        INSERT INTO covers VALUES (2, 'old.png')
        """)
      try exchange(a, b)
      #expect(try b.rows("SELECT name FROM albums ORDER BY 1") == ["other", "x"])
      #expect(try b.rows("SELECT max(id) FROM albums") == ["1"])
      // SQLite gives 2 again; what is written with it means the new row.
      try b.execute(
        """
        INSERT INTO albums (name) VALUES ('new');
        INSERT INTO items (title, album_id) SELECT 'of the new one', id FROM albums WHERE name = 'new';
        UPDATE items SET album_id = 2 WHERE title = 'second';
        UPDATE covers SET file = 'changed.png'
        """)
      #expect(try b.rows("SELECT id FROM albums WHERE name = 'new'") == ["2"])
      #expect(
        try b.rows("SELECT title FROM items WHERE album_id = 2 ORDER BY 1")
          == ["of the new one", "second"])
      #expect(
        try b.rows("SELECT album_id < 0 FROM items WHERE title = 'track'") == ["1"])
      #expect(try b.rows("SELECT id < 0, file FROM covers") == ["1|changed.png"])
      try expectEqualAfterExchange(a, b)
      try expectAsLogsSay(devices, "a", "b")
      try a.execute("DELETE FROM albums WHERE name = 'x'")
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows(
            """
            SELECT i.title, a.name, ifnull(c.file, '-') FROM items AS i JOIN albums AS a ON a.id = i.album_id
            LEFT JOIN covers AS c ON c.id = a.id ORDER BY 1
            """) == ["of the new one|new|-", "second|new|-", "track|x|changed.png"])
      }
      try expectAsLogsSay(devices, "a", "b")
    }
  }

  @Test func `what a transaction writes of a row that goes with a held one refers to nothing`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script =
        Self.script + """
          ;
          CREATE TABLE parts (
            side TEXT, album INTEGER, of_side TEXT, of_album INTEGER, PRIMARY KEY (side, album),
            FOREIGN KEY (of_side, of_album) REFERENCES parts (side, album) ON DELETE SET NULL)
          """
      let merge = Self.merge.merging(
        MergeOptions(tables: [
          "parts": TableMerge(references: ["album": DeclaredReference("albums", "id")])
        ]))
      let a = try devices.open("a", script, merge: merge)
      let b = try devices.open("b", script, merge: merge)
      try a.execute("INSERT INTO albums (name) VALUES ('x')")
      try b.execute(
        """
        INSERT INTO albums (name) VALUES ('other'), ('x');
        INSERT INTO parts VALUES ('A', 2, NULL, NULL)
        """)
      try exchange(a, b)
      // SQLite gives 2 again, and finds the part under the number that it has until the commit.
      try b.execute(
        "INSERT INTO albums (name) VALUES ('new'); INSERT INTO parts VALUES ('B', 0, 'A', 2)")
      #expect(
        try b.rows("SELECT side, album < 0, of_side, of_album FROM parts ORDER BY 1")
          == ["A|1|null|null", "B|0|null|null"])
      #expect(try b.rows("SELECT count(*) FROM pragma_foreign_key_check") == ["0"])
      try expectEqualAfterExchange(a, b)
      #expect(try b.conflicts().map(\.isHeld).sorted { !$0 && $1 } == [false, true])
      try expectAsLogsSay(devices, "a", "b")
    }
  }

  @Test(arguments: [
    ("items", "album_id", "discs", "id", "no table discs"),
    ("items", "album_id", "albums", "nr", "no column nr"),
    ("items", "album", "albums", "id", "no column album"),
    ("songs", "album_id", "albums", "id", "no table songs"),
    ("items", "album_id", "albums", "name", "nothing to follow"),
    ("items", "id", "items", "id", "the same column"),
    ("items", "album_id", "loose", "rowid", "known by themselves"),
  ])
  func `what cannot be followed is refused by name`(
    table: String, column: String, parent: String, key: String, reason: String
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      var merge = MergeOptions()
      merge.tables[.init(table)] = TableMerge()
      merge.tables[.init(table)]?.references[.init(column)] = DeclaredReference(parent, key)
      let error = try #require(throws: StoreError.self) {
        try devices.attach("a", Self.script + "; CREATE TABLE loose (x)", merge: merge)
      }
      #expect(error.code == .mergeOptions && error.message.contains(reason), "\(error)")
      #expect(!FileManager.default.fileExists(atPath: devices.path("a")))
    }
  }

  @Test func `a store that is attached takes a reference until the table is written`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script)
      var merge = Self.merge
      merge.tables["items"]?.references["album_id"] = DeclaredReference("ALBUMS", "rowid")
      try devices.attach("a", merge: merge)
      #expect(try a.store.mergeOptions() == Self.merge)
      try a.execute("INSERT INTO items VALUES (1, 'x', 1)")
      try devices.attach("a", merge: Self.merge)
      var other = MergeOptions()
      other.tables["items"] = TableMerge(references: ["title": DeclaredReference("albums", "id")])
      let error = try #require(throws: StoreError.self) { try devices.attach("a", merge: other) }
      #expect(error.message.contains("album_id referring to albums.id"))
      #expect(error.message.contains("title referring to albums.id"))
      try a.exchange()
      #expect {
        try devices.attach("b", Self.script, merge: other)
      } throws: { error in
        (error as? SyncError)?.code == .mergeDisagreement
          && (error as? SyncError)?.message.contains("table items") == true
      }
    }
  }

  @Test func `the rowid can be referred to where it is the key`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = "CREATE TABLE songs (title); CREATE TABLE plays (song, day PRIMARY KEY)"
      let merge = MergeOptions(tables: [
        "songs": TableMerge(knownBy: .rowIdentifier),
        "plays": TableMerge(references: ["song": DeclaredReference("songs", "oid")]),
      ])
      let a = try devices.open("a", script, merge: merge)
      try a.exchange()
      let b = try devices.open("b")
      for (session, name) in [(a, "one"), (b, "two")] {
        try session.execute(
          "INSERT INTO songs VALUES ('\(name)'); INSERT INTO plays VALUES (1, '\(name)')")
      }
      try expectEqualAfterExchange(a, b)
      #expect(
        try b.rows("SELECT s.title, p.day FROM plays AS p JOIN songs AS s ON s.rowid = p.song")
          .sorted() == ["one|one", "two|two"])
      try expectAsLogsSay(devices, "a", "b")
    }
  }

  @Test func `attach suggests what names and values suggest, and doctor names what points nowhere`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let connection = try Connection(path: devices.path("a"), mode: .create)
      try connection.execute(
        Self.script + """
          ;
          CREATE TABLE "my notes" (id INTEGER PRIMARY KEY, album, parent_id INTEGER, item INTEGER);
          INSERT INTO albums VALUES (1, 'one'), (2, 'two');
          INSERT INTO items VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', NULL), (4, 'd', 0);
          INSERT INTO "my notes" VALUES (1, 'text', NULL, 9), (2, 2, 1, 1)
          """)
      connection.close()
      let report = try devices.attach("a")
      let options = report.notes.filter { $0.kind == .suggestion }.flatMap(\.options)
      #expect(
        options == [
          AttachOption("refers", "items.album_id=albums.id"),
          AttachOption("refers", "my notes.parent_id=my notes.id"),
        ])
      let b = try devices.open("b")
      try b.exchange()
      #expect(!(try Engine.diagnose(store: devices.path("b"))).contains { $0.code == .dangling })

      var request = AttachRequest(
        store: devices.path("a"), container: devices.container, contentName: "D")
      try Engine.detach(store: devices.path("a"), removeLogs: true)
      request.merge = Self.merge
      #expect(
        !(try Engine.attach(request)).notes.contains {
          $0.options.contains { $0.argument.hasPrefix("items") }
        })
      let finding = try #require(
        try Engine.diagnose(store: devices.path("a")).first { $0.code == .dangling })
      #expect(finding.severity == .note)
      #expect(
        finding.explanation.contains(
          "1 row of table items refers by album_id to no row of albums: 4"))
    }
  }
}
