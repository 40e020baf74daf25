import Glibc
import Testing
import TributaryContainer
import TributaryStore
import TributarySync
import TributaryTesting

/// Rows that migrations write.
struct MigrationRowTests {
  private static let first = Migration(
    name: "1",
    sql: """
      CREATE TABLE genre (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT, plays INTEGER DEFAULT 0)
      """)
  private static let second = Migration(
    name: "2",
    sql: """
      CREATE TABLE mood (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO mood (name) VALUES ('calm'), ('loud');
      INSERT INTO genre (name) VALUES ('jazz');
      UPDATE song SET plays = plays + 1
      """)
  private static let counter: MergeOptions = {
    var options = MergeOptions()
    options.tables["song"] = TableMerge(columns: ["plays": .counter])
    return options
  }()

  private func open(_ name: String, _ devices: SyncDevices) throws -> SyncSession {
    try devices.attach(name, Self.first.sql, merge: Self.counter)
    return try SyncSession(store: devices.path(name))
  }

  private func upgrade(_ name: String, _ devices: SyncDevices, _ last: Migration = second) throws {
    var request = AttachRequest(
      store: devices.path(name), container: devices.container, contentName: "C")
    request.migrations = [Self.first, last]
    _ = try Engine.attach(request)
  }

  private func contents(_ session: SyncSession) throws -> [String] {
    try session.rows("SELECT name FROM mood ORDER BY id")
      + session.rows("SELECT name FROM genre ORDER BY name")
      + session.rows("SELECT plays FROM song ORDER BY id")
  }

  @Test func `what another process imports when a migration begins is not written again`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try open("a", devices), try open("b", devices))
      try a.execute("INSERT INTO song VALUES (1, 'Carey', 10)")
      try exchange(a, b)
      let last = Migration(
        name: "2",
        sql: "INSERT INTO genre (name) VALUES ('jazz'); UPDATE song SET plays = plays + 1")
      try upgrade("a", devices, last)
      try a.exchange()
      try b.store.migrate([Self.first, last]) { _ in
        try SyncSession(store: b.store.path).exchange()
        return false
      }
      #expect(try b.rows("SELECT plays FROM song") == ["11"])
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT name FROM genre") == ["jazz"])
    }
  }

  @Test func `what one device has written, the others do not write again`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try open("a", devices), try open("b", devices))
      try a.execute(
        "INSERT INTO song VALUES (1, 'Carey', 10); INSERT INTO genre VALUES (1, 'folk')")
      try exchange(a, b)
      try upgrade("a", devices)
      try a.exchange()
      // It waits for the table.
      _ = try b.synchronize()
      try b.execute("INSERT INTO genre (name) VALUES ('pop')")
      let last = try b.store.exchange { try Outbox($0).last()?.sequence }
      try upgrade("b", devices)
      #expect(try b.store.exchange { try Outbox($0).last()?.sequence } == last)
      #expect(try b.rows("SELECT count(*) FROM mood") == ["0"])
      try expectEqualAfterExchange(a, b)
      #expect(try contents(b) == ["calm", "loud", "folk", "jazz", "pop", "11"])
      // A new device has them from the logs, and runs what is new.
      try upgrade("c", devices)
      let c = try SyncSession(store: devices.path("c"))
      try expectEqualAfterExchange(a, b, c)
      #expect(try contents(c) == contents(a))
    }
  }

  @Test func `rows that have been imported already are not in the way of the migration`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try open("a", devices), try open("b", devices))
      let seeds = Migration(name: "2", sql: "INSERT INTO genre VALUES (1, 'jazz'), (2, 'folk')")
      try upgrade("a", devices, seeds)
      try expectEqualAfterExchange(a, b)
      try upgrade("b", devices, seeds)
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT id, name FROM genre") == ["1|jazz", "2|folk"])
      #expect(try b.conflicts().isEmpty)
    }
  }

  @Test(arguments: [false, true])
  func `rows that nobody has published are written by the next device`(isLost: Bool) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try open("a", devices), try open("b", devices))
      try a.execute("INSERT INTO song VALUES (1, 'Carey', 10)")
      try exchange(a, b)
      // It says so in no file: if it went now, nobody would have the rows.
      try upgrade("a", devices)
      try upgrade("b", devices)
      #expect(try contents(b) == ["calm", "loud", "jazz", "11"])
      try b.exchange()
      try upgrade("c", devices)
      let c = try SyncSession(store: devices.path("c"))
      if isLost {
        try expectEqualAfterExchange(b, c)
      } else {
        // Equal rows of one migration are one.
        try expectEqualAfterExchange(a, b, c)
      }
      #expect(try contents(c) == ["calm", "loud", "jazz", "11"])
    }
  }

  @Test func `a publication that fails does not say that rows are there`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try open("a", devices), try open("b", devices))
      try a.execute("INSERT INTO song VALUES (1, 'Carey', 10)")
      try exchange(a, b)
      try upgrade("a", devices)
      let log = ContentDirectory(
        container: devices.container, root: .standard, name: try ContentName("C")
      ).log(of: a.store.peer)
      let fileSystem = BrokenFileSystem(inPathsWith: log)
      fileSystem.fail([.writing], code: ENOSPC)
      var environment = StoreEnvironment()
      environment.fileSystem = fileSystem
      let broken = try SyncSession(store: devices.path("a"), environment: environment)
      #expect(try broken.synchronize().failure != nil)
      try upgrade("b", devices)
      #expect(try contents(b) == ["calm", "loud", "jazz", "11"])
    }
  }

  @Test func `a new device writes the rows of a migration that nobody has run`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try open("a", devices)
      try a.execute("INSERT INTO song VALUES (1, 'Carey', 10)")
      try a.exchange()
      try upgrade("b", devices)
      let b = try SyncSession(store: devices.path("b"))
      #expect(try contents(b) == ["calm", "loud", "jazz", "11"])
      try b.exchange()
      _ = try a.synchronize()
      try upgrade("a", devices)
      try expectEqualAfterExchange(a, b)
      #expect(try contents(a) == ["calm", "loud", "jazz", "11"])
    }
  }

  @Test func `each device writes its own rows if the migration says so`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try open("a", devices), try open("b", devices))
      let seeds = Migration(
        name: "2", sql: "-- tributary: per device\nINSERT INTO genre VALUES (NULL, 'mine')")
      for name in ["a", "b"] {
        try upgrade(name, devices, seeds)
        try exchange(a, b)
      }
      #expect(try a.rows("SELECT name FROM genre") == ["mine", "mine"])
    }
  }

  @Test func `a closure migrates as SQL does`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try open("a", devices), try open("b", devices))
      try a.execute("INSERT INTO song VALUES (1, 'Carey', 10)")
      try exchange(a, b)
      let closure = Migration(name: "2") { database in
        try database.execute("ALTER TABLE song ADD COLUMN length INTEGER NOT NULL DEFAULT 0")
        for row in try database.query("SELECT id FROM song") {
          try database.execute("UPDATE song SET length = 100 WHERE id = ?", row.values[0])
        }
      }
      for (name, session) in [("a", a), ("b", b)] {
        try upgrade(name, devices, closure)
        _ = try session.synchronize()
      }
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT length FROM song") == ["100"])
      #expect(try b.store.exchange { try Outbox($0).last() } == nil)
    }
  }
}

/// Devices that migrate without knowing of each other.
extension MigrationRowTests {
  /// Upgrades stores of which none has seen another's logs.
  private func upgradeApart(
    _ sessions: [(name: String, session: SyncSession)], _ devices: SyncDevices, _ last: Migration
  ) throws {
    for (_, session) in sessions {
      awaitClockTick()
      try session.store.migrate([Self.first, last])
    }
  }

  @Test func `what devices write apart by one migration counts once`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try open("a", devices), try open("b", devices))
      let c = try open("c", devices)
      try a.execute("INSERT INTO song VALUES (1, 'Carey', 10)")
      try exchange(a, b, c)
      try a.execute("INSERT INTO genre (name) VALUES ('pop')")
      try b.execute("INSERT INTO song VALUES (2, 'Blue', 5); UPDATE song SET plays = plays + 100")
      try upgradeApart([("a", a), ("b", b), ("c", c)], devices, Self.second)
      try b.execute("UPDATE genre SET name = 'Jazz' WHERE name = 'jazz'")
      try expectEqualAfterExchange(c, b, a)
      #expect(try contents(a) == ["calm", "loud", "Jazz", "pop", "111", "106"])
      #expect(try a.conflicts().isEmpty)
      for name in ["a", "b", "c"] {
        #expect(try Engine.verify(store: devices.path(name)).differenceCount == 0)
      }
      try devices.attach("d")
      let d = try SyncSession(store: devices.path("d"))
      try expectEqualAfterExchange(a, b, c, d)
      for (session, name) in [(a, "a"), (b, "b"), (c, "c")] {
        session.store.close()
        _ = try Engine.rebuild(store: devices.path(name))
        try expectEqualAfterExchange(SyncSession(store: devices.path(name)), d)
      }
    }
  }

  @Test(
    arguments: [
      "id INTEGER PRIMARY KEY, name TEXT", "name TEXT PRIMARY KEY NOT NULL, n",
      "name TEXT PRIMARY KEY NOT NULL, n) WITHOUT ROWID; CREATE TABLE other (x",
    ], [false, true])
  func `what a device does to the rows stays where another one writes them later`(
    columns: String, isLaterFirst: Bool
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try open("a", devices), try open("b", devices))
      let c = try open("c", devices)
      let seeds = Migration(
        name: "2",
        sql: """
          CREATE TABLE seed (\(columns), more INTEGER DEFAULT 0);
          INSERT INTO seed (name) VALUES ('jazz'), ('folk'), ('other')
          """.replacing("x, more INTEGER DEFAULT 0", with: "x")
            .replacing("n) WITHOUT", with: "n, more INTEGER DEFAULT 0) WITHOUT"))
      try a.store.migrate([Self.first, seeds])
      try a.execute("DELETE FROM seed WHERE name = 'folk'")
      try a.execute("UPDATE seed SET more = 7 WHERE name = 'jazz'")
      awaitClockTick()
      for session in [b, c] { try session.store.migrate([Self.first, seeds]) }
      try b.execute("UPDATE seed SET more = 8 WHERE name = 'other'")
      for session in isLaterFirst ? [b, a, c, b, a] : [a, b, c, a, b] { try session.exchange() }
      for (session, name) in [(a, "a"), (b, "b"), (c, "c")] {
        try session.exchange()
        #expect(
          try session.rows("SELECT name, more FROM seed ORDER BY name") == ["jazz|7", "other|8"],
          "\(name)")
        #expect(try session.conflicts() == [], "\(name)")
        #expect(try Engine.verify(store: devices.path(name)).differences.isEmpty, "\(name)")
      }
    }
  }

  @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]])
  func `the earliest counts, in whatever order they arrive`(order: [Int]) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let names = ["a", "b", "c"]
      let sessions = try names.map { try open($0, devices) }
      let watch = try open("w", devices)
      try sessions[0].execute("INSERT INTO song VALUES (1, 'Carey', 10)")
      for session in sessions + [watch] + sessions { try session.exchange() }
      let seeds = Migration(
        name: "2",
        sql: """
          INSERT INTO genre (name) VALUES ('a'), ('b'), ('a'), (NULL);
          UPDATE song SET plays = plays + 1
          """)
      for (index, session) in sessions.enumerated() {
        try session.execute("INSERT INTO genre (name) VALUES ('own \(index)')")
      }
      try upgradeApart(Array(zip(names, sessions)), devices, seeds)
      for index in order {
        try sessions[index].exchange()
        try watch.exchange()
        #expect(try watch.rows("SELECT plays FROM song") == ["11"])
        #expect(
          try watch.rows("SELECT name FROM genre WHERE name NOT LIKE 'own%' ORDER BY name")
            == ["a", "a", "b"])
      }
      for session in sessions + [watch] + sessions + [watch] { try session.exchange() }
      let digests = try Set((sessions + [watch]).map { try $0.store.digest().total })
      #expect(digests.count == 1)
      #expect(try watch.rows("SELECT count(*) FROM genre") == ["7"])
      #expect(try Engine.verify(store: devices.path("w")).differenceCount == 0)
    }
  }
}

extension MigrationRowTests {
  @Test(arguments: [false, true])
  func `an application takes over a store that was made from the tables of another device`(
    isEarly: Bool
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      // Without tables at first, or with those of the container from the beginning.
      if isEarly { try devices.attach("b") }
      let a = try open("a", devices)
      try a.execute("INSERT INTO song VALUES (1, 'Carey', 10)")
      try a.exchange()
      if !isEarly { try devices.attach("b") }
      let b = try SyncSession(store: devices.path("b"))
      try b.exchange()
      try upgrade("b", devices)
      #expect(try b.rows("SELECT name FROM tributary_migration ORDER BY id") == ["1", "2"])
      #expect(try contents(b) == ["calm", "loud", "jazz", "11"])
      #expect {
        var request = AttachRequest(
          store: devices.path("b"), container: devices.container, contentName: "C")
        request.migrations = [Migration(name: "0", sql: ""), Self.second]
        _ = try Engine.attach(request)
      } throws: {
        "\($0)".contains("migration 1 that has run here is 1, not 0")
      }
      try b.exchange()
      _ = try a.synchronize()
      try upgrade("a", devices)
      try expectEqualAfterExchange(a, b)
    }
  }
}
