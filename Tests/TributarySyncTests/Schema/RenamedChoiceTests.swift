import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Devices that share some tables only, and migrations that rename these or the others.
struct RenamedChoiceTests {
  private static let first = Migration(
    name: "1",
    sql: """
      CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE private (id INTEGER PRIMARY KEY, text TEXT)
      """)
  private static let renamedSong = Migration(
    name: "2", sql: "-- tributary: rename song to track\nALTER TABLE song RENAME TO track")
  private static let renamedPrivate = Migration(
    name: "2",
    sql: """
      -- tributary: rename private to mine
      ALTER TABLE private RENAME TO mine;
      -- tributary: rename mine.text to words
      ALTER TABLE mine RENAME COLUMN text TO words
      """)

  @Test(arguments: [TableSelection.only(["song"]), .except(["PRIVATE"])])
  func `a chosen table is shared under all its names, before and after the migration`(
    choice: TableSelection
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.first.sql)
      let b = try devices.open("b", Self.first.sql, tables: choice)
      try a.execute("INSERT INTO song VALUES (3, 'c'), (5, 'e')")
      try exchange(a, b)
      try a.store.migrate([Self.first, Self.renamedSong])
      try a.execute(
        "INSERT INTO track VALUES (4, 'd'); UPDATE track SET title = 'new' WHERE id = 3; DELETE FROM track WHERE id = 5"
      )
      try exchange(a, b)
      #expect(try b.rows("SELECT * FROM song") == ["3|new", "4|d"])
      try b.execute("UPDATE song SET title = 'of b' WHERE id = 4")
      try exchange(a, b)
      #expect(try a.rows("SELECT * FROM track") == ["3|new", "4|of b"])
      try b.store.migrate([Self.first, Self.renamedSong])
      try b.execute("INSERT INTO track VALUES (6, 'f')")
      try exchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT * FROM track") == ["3|new", "4|of b", "6|f"])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
      b.store.close()
      _ = try Engine.rebuild(store: b.store.path)
      let rebuilt = try SyncSession(store: b.store.path)
      #expect(try rebuilt.rows("SELECT * FROM track") == ["3|new", "4|of b", "6|f"])
    }
  }

  @Test func `the same choice may be given again under either name`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.first.sql, tables: .only(["song"]))
      try a.execute("INSERT INTO song VALUES (1, 'a'); INSERT INTO private VALUES (1, 'p')")
      a.store.close()
      for names in [["song"], ["track"], ["song", "track"]] {
        var request = AttachRequest(
          store: devices.path("a"), container: devices.container, contentName: "C")
        request.migrations = [Self.first, Self.renamedSong]
        request.tables = .only(names)
        _ = try Engine.attach(request)
      }
      let again = try SyncSession(store: devices.path("a"))
      #expect(try again.rows("SELECT * FROM track") == ["1|a"])
      try again.exchange()
      try devices.attach("b")
      let b = try SyncSession(store: devices.path("b"))
      #expect(try b.rows("SELECT * FROM track") == ["1|a"])
      #expect(try b.rows("SELECT * FROM private") == [])
    }
  }

  @Test func `a table that is left out stays so under another name`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.first.sql, tables: .except(["private"]))
      try a.execute("INSERT INTO song VALUES (1, 'a'); INSERT INTO private VALUES (1, 'secret')")
      try a.exchange()
      for sql in [
        "ALTER TABLE private RENAME TO mine",
        "CREATE TABLE new (x); ALTER TABLE private RENAME TO mine; INSERT INTO new VALUES (1)",
      ] {
        let error = #expect(throws: StoreError.self) { try a.execute(sql) }
        #expect(
          error?.message
            == "table private, which is left out, would be renamed to mine, and its rows would be shared"
        )
      }
      try a.store.migrate([Self.first, Self.renamedPrivate])
      try a.execute("UPDATE mine SET words = 'more'; INSERT INTO mine VALUES (2, 'x')")
      try a.exchange()
      try devices.attach("b")
      let b = try SyncSession(store: devices.path("b"))
      try b.exchange()
      #expect(try b.rows("SELECT * FROM song") == ["1|a"])
      #expect(try b.rows("SELECT * FROM mine") == [])
      #expect(try Engine.verify(store: a.store.path).differenceCount == 0)
    }
  }

  @Test func `a shared table may still be built anew beside those that are left out`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.first.sql, tables: .only(["song"]))
      try a.execute("INSERT INTO song VALUES (1, 'a')")
      try a.execute(
        """
        CREATE TABLE new (id INTEGER PRIMARY KEY, title TEXT, year INTEGER);
        INSERT INTO new (id, title) SELECT id, title FROM song; DROP TABLE song; ALTER TABLE new RENAME TO song
        """)
      try a.execute("UPDATE song SET year = 1971")
      try a.exchange()
      #expect(try Engine.verify(store: a.store.path).differenceCount == 0)
    }
  }
}
