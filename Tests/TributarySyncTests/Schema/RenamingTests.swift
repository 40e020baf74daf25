import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Tables and columns that migrations rename and drop, on devices that are updated at different times.
struct RenamingTests {
  private static let first = Migration(
    name: "1",
    sql: """
      CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, label TEXT DEFAULT 'none', stars INTEGER);
      CREATE TABLE track (id INTEGER PRIMARY KEY, album INTEGER REFERENCES album (id), title TEXT)
      """)
  private static let renaming = Migration(
    name: "2",
    sql: """
      -- tributary: rename album to record
      ALTER TABLE album RENAME TO record;
      -- tributary: rename record.label to record.publisher
      ALTER TABLE record RENAME COLUMN label TO publisher;
      -- tributary: drop record.stars
      ALTER TABLE record DROP COLUMN stars;
      """)
  private static let all = [first, renaming]

  private func contents(_ session: SyncSession) throws -> [String] {
    let isNew = try session.rows("SELECT 1 FROM sqlite_schema WHERE name = 'record'") == ["1"]
    return try session.rows(
      isNew
        ? "SELECT id, title, publisher FROM record ORDER BY id"
        : "SELECT id, title, label FROM album ORDER BY id")
      + session.rows("SELECT album, title FROM track ORDER BY title")
  }

  @Test func `devices before and after a renaming read each other's logs`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try devices.open("a", Self.first.sql), try devices.open("b", Self.first.sql))
      try a.execute(
        "INSERT INTO album VALUES (1, 'Blue', 'Reprise', 5); INSERT INTO track VALUES (1, 1, 'Carey')"
      )
      try b.execute("INSERT INTO album (id, title) VALUES (2, 'Hejira')")
      try exchange(a, b)
      let count = try a.store.exchange { try Outbox($0).last()?.sequence }
      try a.store.migrate(Self.all)
      #expect(try a.store.exchange { try Outbox($0).last()?.sequence } == count)
      try a.execute(
        "UPDATE record SET publisher = 'Asylum' WHERE id = 2; INSERT INTO record VALUES (3, 'Mingus', 'A'); INSERT INTO track VALUES (2, 3, 'God')"
      )
      try b.execute(
        "UPDATE album SET title = 'Blue!', stars = 4 WHERE id = 1; INSERT INTO album VALUES (4, 'Clouds', 'R', 3); INSERT INTO track VALUES (3, 4, 'Chelsea')"
      )
      try exchange(a, b)
      #expect(
        try contents(a) == [
          "1|Blue!|Reprise", "2|Hejira|Asylum", "3|Mingus|A", "4|Clouds|R", "1|Carey",
          "4|Chelsea", "3|God",
        ])
      #expect(try contents(b) == contents(a))
      #expect(try b.rows("SELECT stars FROM album ORDER BY id") == ["4", "null", "null", "3"])
      try b.store.migrate(Self.all)
      try expectEqualAfterExchange(a, b)
      for name in ["a", "b"] {
        #expect(try Engine.verify(store: devices.path(name)).differenceCount == 0)
      }
      // A new device gets it from the logs, and so does one that is built anew.
      try devices.attach("c")
      let c = try SyncSession(store: devices.path("c"))
      try expectEqualAfterExchange(a, b, c)
      b.store.close()
      _ = try Engine.rebuild(store: devices.path("b"))
      let again = try SyncSession(store: devices.path("b"))
      try expectEqualAfterExchange(a, again, c)
    }
  }

  @Test func `a table under its old name conflicts with its writes under the new one`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try devices.open("a", Self.first.sql), try devices.open("b", Self.first.sql))
      try a.execute("INSERT INTO album VALUES (1, 'Blue', 'Reprise', 5)")
      try exchange(a, b)
      try a.store.migrate(Self.all)
      try a.execute("UPDATE record SET publisher = 'A'")
      try b.execute("UPDATE album SET label = 'B'")
      try exchange(a, b)
      #expect(try contents(a) == ["1|Blue|B"])
      #expect(try contents(b) == contents(a))
      #expect(try a.conflicts().count == 1)
      #expect(try a.conflicts().map(\.id) == b.conflicts().map(\.id))
      try b.store.migrate(Self.all)
      try expectEqualAfterExchange(a, b)
      #expect(try b.conflicts().map(\.table) == ["record"])
      try b.resolve(b.conflicts()[0].id, .restore)
      try expectEqualAfterExchange(a, b)
      #expect(try contents(a) == ["1|Blue|A"])
    }
  }

  @Test func `what logs say of a dropped table is passed over`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try devices.open("a", Self.first.sql), try devices.open("b", Self.first.sql))
      try a.execute("INSERT INTO album (id) VALUES (1); INSERT INTO track VALUES (1, 1, 'Carey')")
      try exchange(a, b)
      let migrations = [
        Self.first, Migration(name: "2", sql: "DROP TABLE track", drops: ["track"]),
      ]
      try a.store.migrate(migrations)
      try b.execute("INSERT INTO track VALUES (2, 1, 'California'); UPDATE album SET title = 'x'")
      try exchange(a, b)
      #expect(try a.rows("SELECT title FROM album") == ["x"])
      #expect(try b.rows("SELECT count(*) FROM track") == ["2"])
      try b.store.migrate(migrations)
      try expectEqualAfterExchange(a, b)
      #expect(try Engine.verify(store: devices.path("b")).differenceCount == 0)
      try devices.attach("c")
      try expectEqualAfterExchange(a, SyncSession(store: devices.path("c")))
    }
  }

  @Test(arguments: [
    ("-- tributary: drop album.label", "column label of table album is still there"),
    ("-- tributary: rename album to record", "table album is still there"),
    ("-- tributary: rename album.label to album.publisher; ", "says nothing that Tributary knows"),
    ("-- tributary: forget album", "says nothing that Tributary knows"),
    ("ALTER TABLE album RENAME TO record", "but the logs name it"),
    (
      "-- tributary: rename album.label to stamp\nALTER TABLE album DROP COLUMN label",
      "there is no column stamp"
    ),
  ])
  func `a migration that does not do what it declares is refused, and changes nothing`(
    sql: String, reason: String
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.first.sql)
      try a.execute("INSERT INTO album (id) VALUES (1)")
      let before = try a.rows("SELECT sql FROM sqlite_schema ORDER BY name")
      #expect {
        try a.store.migrate([Self.first, Migration(name: "2", sql: sql)])
      } throws: {
        "\($0)".contains(reason)
      }
      #expect(try a.rows("SELECT sql FROM sqlite_schema ORDER BY name") == before)
      #expect(try a.rows("SELECT count(*) FROM tributary_migration") == ["1"])
    }
  }
}

extension RenamingTests {
  @Test func `a table can be built anew, then lose a column, then be written`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let first = "CREATE TABLE item (id INTEGER PRIMARY KEY, a TEXT, b TEXT DEFAULT 'b')"
      let a = try devices.open("a", first)
      try a.execute("INSERT INTO item VALUES (1, 'x', 'y')")
      var migrations = [
        Migration(name: "1", sql: first),
        Migration(
          name: "2",
          sql: """
            CREATE TABLE new (id INTEGER PRIMARY KEY, a TEXT, b TEXT DEFAULT 'b'); INSERT INTO new SELECT * FROM item;
            DROP TABLE item; ALTER TABLE new RENAME TO item
            """),
      ]
      try a.store.migrate(migrations)
      migrations.append(
        Migration(name: "3", sql: "ALTER TABLE item DROP COLUMN a", drops: ["item.a"]))
      try a.store.migrate(migrations)
      try a.execute("INSERT INTO item (b) VALUES ('z'); UPDATE item SET b = 'w'")
      try a.exchange()
      let b = try devices.open("b")
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT * FROM item") == ["1|w", "2|w"])
    }
  }
}

extension RenamingTests {
  @Test(arguments: [
    "CREATE TABLE album (id INTEGER PRIMARY KEY)",
    "ALTER TABLE record ADD COLUMN label TEXT", "ALTER TABLE record ADD COLUMN stars INTEGER",
  ])
  func `a name that was given up is not given again`(sql: String) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.first.sql)
      try a.execute("INSERT INTO album (id) VALUES (1)")
      try a.store.migrate(Self.all)
      #expect {
        try a.execute(sql)
      } throws: {
        "\($0)".contains("would get a name that a migration has given up")
      }
      #expect {
        try a.store.migrate(Self.all + [Migration(name: "3", sql: sql)])
      } throws: {
        "\($0)".contains("choose another name")
      }
      try a.execute("ALTER TABLE record ADD COLUMN rank INTEGER")
    }
  }

  @Test func `a device that is behind makes what others have renamed since`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try devices.open("a", Self.first.sql), try devices.open("b", Self.first.sql))
      try exchange(a, b)
      let second = Migration(
        name: "2", sql: "CREATE TABLE genre (id INTEGER PRIMARY KEY, name TEXT)")
      let third = Migration(
        name: "3", sql: "ALTER TABLE genre RENAME TO style", renames: ["genre": "style"])
      try a.store.migrate([Self.first, second])
      try a.execute("INSERT INTO genre VALUES (1, 'jazz')")
      try a.store.migrate([Self.first, second, third])
      try a.execute("INSERT INTO style VALUES (2, 'folk')")
      try a.exchange()
      #expect(try b.synchronize().waiting.count == 1)
      try b.store.migrate([Self.first, second])
      try exchange(a, b)
      #expect(try b.rows("SELECT name FROM genre ORDER BY id") == ["jazz", "folk"])
      try b.execute("INSERT INTO genre VALUES (3, 'pop')")
      try exchange(b, a)
      #expect(try a.rows("SELECT name FROM style ORDER BY id") == ["jazz", "folk", "pop"])
      try b.store.migrate([Self.first, second, third])
      try expectEqualAfterExchange(a, b)
    }
  }
}

extension RenamingTests {
  @Test func `triggers of the capture follow what a migration renames, drops and builds anew`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try devices.open("a", Self.first.sql), try devices.open("b", Self.first.sql))
      try a.store.choose(.triggers)
      try a.execute("INSERT INTO album (id, title) VALUES (1, 'Blue')")
      try exchange(a, b)
      // A statement that fails leaves them as they were.
      _ = try a.store.write { database in
        #expect(throws: SQLiteError.self) {
          try database.execute("ALTER TABLE album DROP COLUMN id")
        }
      }
      try a.store.migrate(
        Self.all + [
          Migration(
            name: "3",
            sql: """
              CREATE TABLE new (id INTEGER PRIMARY KEY, title TEXT NOT NULL, publisher TEXT DEFAULT 'none');
              INSERT INTO new SELECT * FROM record; DROP TABLE record; ALTER TABLE new RENAME TO record
              """)
        ])
      let program = try Connection(path: devices.path("a"), mode: .readWrite)
      try program.execute(
        "INSERT INTO record VALUES (2, 'Hejira', 'Asylum'); UPDATE record SET publisher = 'R' WHERE id = 1"
      )
      try exchange(a, b)
      #expect(try contents(b) == ["1|Blue|R", "2|Hejira|Asylum"])
      let report = try a.synchronize()
      #expect(report.uncaptured == nil)
      #expect(try Engine.verify(store: devices.path("a")).differenceCount == 0)
    }
  }

  @Test func `a new device uses a baseline from before a renaming that others tell`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.first.sql)
      try a.execute(
        "INSERT INTO album VALUES (1, 'Blue', 'Reprise', 5); INSERT INTO track VALUES (1, 1, 'Carey')"
      )
      let baseline = try a.writeBaseline()
      try a.store.migrate(Self.all)
      try a.execute("UPDATE record SET title = 'Blue!'")
      try a.exchange()
      let report = try devices.attach("b")
      #expect(report.baseline == baseline.path)
      #expect(report.notes.filter { $0.text.contains("was not used") } == [])
      let b = try SyncSession(store: devices.path("b"))
      try expectEqualAfterExchange(a, b)
      #expect(try contents(b) == ["1|Blue!|Reprise", "1|Carey"])
      #expect(try Engine.verify(store: devices.path("b")).differenceCount == 0)
    }
  }
}
