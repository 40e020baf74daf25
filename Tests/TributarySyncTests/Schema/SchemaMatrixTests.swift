import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Every way in which a schema changes, with everything that happens to a store meanwhile.
struct SchemaMatrixTests {
  /// A change of the schema: what the new version writes, and what it then has.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let migration: String
    /// Run by a device that has migrated.
    let write: String
    /// Run by a device that has not.
    var olderWrite =
      "UPDATE album SET title = 'Blue!' WHERE id = 1; INSERT INTO album (id, title, label) VALUES (3, 'Clouds', 'Reprise')"
    /// What is read once all have migrated.
    let query: String
    let rows: [String]
    /// What a device must write first, since its own rows break the new constraint.
    var remedy: String?

    var migrations: [Migration] {
      [
        Migration(name: "1", sql: SchemaMatrixTests.older), Migration(name: "2", sql: migration),
      ]
    }

    /// Migrates a device that has written with the older version.
    func migrate(_ session: SyncSession) throws {
      if let remedy {
        let digest = try session.store.digest().total
        #expect(throws: StoreError.self) { try session.store.migrate(migrations) }
        #expect(try session.store.digest().total == digest)
        try session.execute(remedy)
      }
      try session.store.migrate(migrations)
    }
  }

  static let older = """
    CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT NOT NULL, label TEXT)
    """

  static let changes: [Change] = [
    Change(
      testDescription: "newer: a column with a default, a table, an index",
      migration: """
        ALTER TABLE album ADD COLUMN stars INTEGER NOT NULL DEFAULT 3;
        CREATE TABLE track (id INTEGER PRIMARY KEY, album INTEGER REFERENCES album (id), title TEXT);
        CREATE INDEX byTitle ON album (title)
        """,
      write:
        "UPDATE album SET stars = 5 WHERE id = 1; INSERT INTO album VALUES (2, 'Hejira', 'Asylum', 4); INSERT INTO track VALUES (1, 2, 'Coyote')",
      query:
        "SELECT id, title, label, stars, (SELECT count(*) FROM track WHERE album = album.id) FROM album ORDER BY id",
      rows: [
        "1|Blue!|Reprise|5|0", "2|Hejira|Asylum|4|1", "3|Clouds|Reprise|3|0",
      ]),
    Change(
      testDescription: "newer: a generated column",
      migration:
        "ALTER TABLE album ADD COLUMN upper TEXT GENERATED ALWAYS AS (upper(title)) VIRTUAL",
      write: "INSERT INTO album VALUES (2, 'Hejira', 'Asylum')",
      query: "SELECT id, upper FROM album ORDER BY id",
      rows: ["1|BLUE!", "2|HEJIRA", "3|CLOUDS"]),
    Change(
      testDescription: "renamed: the table and a column",
      migration: """
        -- tributary: rename album to record
        ALTER TABLE album RENAME TO record;
        -- tributary: rename record.label to record.publisher
        ALTER TABLE record RENAME COLUMN label TO publisher
        """,
      write:
        "UPDATE record SET publisher = 'Rhino' WHERE id = 1; INSERT INTO record VALUES (2, 'Hejira', 'Asylum')",
      query: "SELECT id, title, publisher FROM record ORDER BY id",
      rows: ["1|Blue!|Rhino", "2|Hejira|Asylum", "3|Clouds|Reprise"]),
    Change(
      testDescription: "dropped: a column",
      migration: """
        -- tributary: drop album.label
        ALTER TABLE album DROP COLUMN label
        """,
      write: "INSERT INTO album VALUES (2, 'Hejira')",
      query: "SELECT id, title FROM album ORDER BY id",
      rows: ["1|Blue!", "2|Hejira", "3|Clouds"]),
    Change(
      testDescription: "dropped: a column that could not be NULL and had no default",
      migration: """
        -- tributary: drop album.title
        ALTER TABLE album DROP COLUMN title
        """,
      write: "INSERT INTO album VALUES (2, 'Asylum')",
      query: "SELECT id, label FROM album ORDER BY id",
      rows: ["1|Reprise", "2|Asylum", "3|Reprise"]),
    Change(
      testDescription: "constrained: a new column that must not be NULL, without default",
      migration: """
        CREATE TABLE new (id INTEGER PRIMARY KEY, title TEXT NOT NULL, label TEXT, plays INTEGER NOT NULL);
        INSERT INTO new SELECT id, title, label, 0 FROM album;
        DROP TABLE album;
        ALTER TABLE new RENAME TO album
        """,
      write: "INSERT INTO album VALUES (2, 'Hejira', 'Asylum', 3)",
      query: "SELECT id, title, label, plays FROM album ORDER BY id",
      rows: ["1|Blue!|Reprise|0", "2|Hejira|Asylum|3", "3|Clouds|Reprise|0"]),
    Change(
      testDescription: "converted: texts become numbers, by a table built anew",
      migration: """
        CREATE TABLE new (id INTEGER PRIMARY KEY, title TEXT NOT NULL, label INTEGER);
        INSERT INTO new SELECT * FROM album;
        DROP TABLE album;
        ALTER TABLE new RENAME TO album
        """,
      write: "INSERT INTO album VALUES (2, 'Hejira', '0300')",
      olderWrite:
        "UPDATE album SET label = '0012' WHERE id = 1; INSERT INTO album (id, title, label) VALUES (3, 'Clouds', '007')",
      query: "SELECT id, title, label, typeof(label) FROM album ORDER BY id",
      rows: ["1|Blue|12|integer", "2|Hejira|300|integer", "3|Clouds|7|integer"]),
    Change(
      testDescription: "dropped: a table, by a table built anew",
      migration: """
        CREATE TABLE new (id INTEGER PRIMARY KEY, title TEXT NOT NULL COLLATE NOCASE, label TEXT, year INTEGER DEFAULT 0);
        INSERT INTO new (id, title, label) SELECT id, title, label FROM album;
        DROP TABLE album;
        ALTER TABLE new RENAME TO album
        """,
      write: "INSERT INTO album VALUES (2, 'Hejira', 'Asylum', 1976)",
      query: "SELECT id, title, label, year FROM album ORDER BY id",
      rows: ["1|Blue!|Reprise|0", "2|Hejira|Asylum|1976", "3|Clouds|Reprise|0"]),
    Change(
      testDescription: "constrained: what was equal must differ",
      migration: "CREATE UNIQUE INDEX oneOfALabel ON album (label)",
      write: "INSERT INTO album VALUES (2, 'Hejira', 'Asylum')",
      query: "SELECT id, title, label FROM album ORDER BY id",
      rows: ["1|Blue!|Reprise", "2|Hejira|Asylum", "3|Clouds|Geffen"],
      remedy: "UPDATE album SET label = 'Geffen' WHERE id = 3"),
  ]

  /// What happens before the older device migrates.
  enum Event: String, CaseIterable, Sendable {
    case writes, imports, rebuilds, attachesFromABaseline
  }

  /// All pairs but one, of which the last test says what happens.
  static let cells = changes.flatMap { change in Event.allCases.map { (change, $0) } }
    .filter { $0.remedy == nil || $1 != .attachesFromABaseline }

  @Test(arguments: cells)
  func `a change of the schema loses nothing, whatever happens meanwhile`(
    change: Change, event: Event
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let migrations = change.migrations
      func open(_ name: String, _ migrations: [Migration]) throws -> SyncSession {
        var request = AttachRequest(
          store: devices.path(name), container: devices.container, contentName: "C")
        request.migrations = migrations
        _ = try Engine.attach(request)
        let session = try SyncSession(store: devices.path(name))
        try session.store.migrate(migrations)
        return session
      }
      var older = try open("older", Array(migrations.prefix(1)))
      try older.execute("INSERT INTO album VALUES (1, 'Blue', 'Reprise')")
      try older.exchange()
      var newer = try open("newer", migrations)
      try newer.execute(change.write)
      if event != .writes { try newer.exchange() }
      // Whatever needs the migration waits, and the rest is there.
      if event != .writes { _ = try older.synchronize() }
      try older.execute(change.olderWrite)
      if event != .writes {
        _ = try older.synchronize()
        try newer.exchange()
      }
      switch event {
      case .writes, .imports: break
      case .rebuilds:
        newer.store.close()
        _ = try Engine.rebuild(store: devices.path("newer"))
        newer = try SyncSession(store: devices.path("newer"))
        older.store.close()
        _ = try Engine.rebuild(store: devices.path("older"))
        older = try SyncSession(store: devices.path("older"))
      case .attachesFromABaseline:
        _ = try newer.writeBaseline()
        _ = try older.writeBaseline()
      }
      let another = try open("another", migrations)
      try change.migrate(older)
      try expectEqualAfterExchange(newer, older, another)
      for session in [newer, older, another] {
        #expect(try session.rows(change.query) == change.rows)
        #expect(try session.conflicts() == [])
      }
      for name in ["newer", "older", "another"] {
        #expect(try Engine.verify(store: devices.path(name)).differenceCount == 0)
      }
    }
  }

  @Test(arguments: changes.filter { $0.remedy == nil })
  func `a change of the schema loses nothing of a history that was forgotten before it`(
    change: Change
  ) throws {
    try withTemporaryDirectory { directory in
      let fleet = try ReturnFleet(
        in: directory, Self.older, setup: "INSERT INTO album VALUES (1, 'Blue', 'Reprise')")
      let (newer, older) = (fleet.a, fleet.b)
      try fleet.declare()
      try fleet.removeLogs(of: [newer, older, fleet.absent])
      try newer.store.migrate(change.migrations)
      try newer.execute(change.write)
      try newer.exchange()
      _ = try older.synchronize()
      try older.execute(change.olderWrite)
      _ = try older.synchronize()
      try newer.exchange()
      try change.migrate(older)
      try expectEqualAfterExchange(newer, older)
      try fleet.absent.store.migrate(change.migrations)
      try fleet.comeBack()
      for session in [newer, older, fleet.absent] { session.store.close() }
      #expect(try Engine.rebuild(store: fleet.devices.path("b")).transactions > 0)
      var request = AttachRequest(
        store: fleet.devices.path("another"), container: fleet.devices.container, contentName: "C")
      request.migrations = change.migrations
      _ = try Engine.attach(request)
      for name in ["a", "b", "absent", "another"] {
        let session = try SyncSession(store: fleet.devices.path(name))
        _ = try session.synchronize()
        #expect(try session.rows(change.query) == change.rows)
        #expect(try session.conflicts() == [])
        #expect(try Engine.verify(store: fleet.devices.path(name)).differenceCount == 0)
      }
    }
  }

  @Test func `rows of a baseline that break a new constraint are named`() throws {
    let change = try #require(Self.changes.last)
    try withTemporaryDirectory { directory in
      let fleet = try ReturnFleet(
        in: directory, Self.older,
        setup: "INSERT INTO album VALUES (1, 'Blue', 'Reprise'), (3, 'Clouds', 'Reprise')")
      try fleet.declare()
      try fleet.removeLogs(of: [fleet.a, fleet.b, fleet.absent])
      let digest = try fleet.a.store.digest().total
      // A new device has the tables of the others until its rows allow the migration.
      let new = fleet.devices.path("new")
      var request = AttachRequest(
        store: new, container: fleet.devices.container, contentName: "C")
      request.migrations = change.migrations
      #expect {
        _ = try Engine.attach(request)
      } throws: {
        "\($0)".contains(
          "migration 2 failed: UNIQUE constraint failed: album.label; change or delete")
      }
      #expect(try SyncSession(store: new).store.digest().total == digest)
      // Migrated, a device cannot be built from what was before.
      try change.migrate(fleet.a)
      try fleet.a.exchange()
      let migrated = try fleet.a.store.digest().total
      fleet.a.store.close()
      let path = fleet.devices.path("a")
      #expect {
        _ = try Engine.rebuild(store: path)
      } throws: {
        "\($0)".contains("break a constraint that it adds: UNIQUE constraint failed: album.label")
      }
      #expect(try SyncSession(store: path).store.digest().total == migrated)
    }
  }
}
