import Testing
import TributaryStore
import TributarySync
import TributaryTesting

/// Migrations that rename what was renamed before, and that give names again.
struct RenamedAgainTests {
  private static let first = Migration(
    name: "1",
    sql:
      "CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, label TEXT DEFAULT 'none', stars INTEGER)"
  )

  private func contents(_ session: SyncSession) throws -> [String] {
    let isNew = try session.rows("SELECT 1 FROM sqlite_schema WHERE name = 'record'") == ["1"]
    return try session.rows(
      isNew
        ? "SELECT id, title, publisher FROM record ORDER BY id"
        : "SELECT id, title, label FROM album ORDER BY id")
  }

  @Test(arguments: [
    [
      """
      -- tributary: rename album.label to album.imprint
      ALTER TABLE album RENAME COLUMN label TO imprint;
      -- tributary: rename album.imprint to album.publisher
      ALTER TABLE album RENAME COLUMN imprint TO publisher;
      -- tributary: rename album to record
      ALTER TABLE album RENAME TO record
      """
    ],
    [
      """
      -- tributary: rename album to disc
      ALTER TABLE album RENAME TO disc;
      -- tributary: rename disc.label to disc.publisher
      ALTER TABLE disc RENAME COLUMN label TO publisher;
      -- tributary: rename disc to record
      ALTER TABLE disc RENAME TO record
      """
    ],
    [
      "-- tributary: rename album.label to album.imprint\nALTER TABLE album RENAME COLUMN label TO imprint",
      """
      -- tributary: rename album to record
      ALTER TABLE album RENAME TO record;
      -- tributary: rename record.imprint to record.publisher
      ALTER TABLE record RENAME COLUMN imprint TO publisher
      """,
    ],
  ])
  func `what is renamed twice is what it was before`(steps: [String]) throws {
    let migrations =
      [Self.first] + steps.enumerated().map { Migration(name: "\($0 + 2)", sql: $1) }
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try devices.open("a", Self.first.sql), try devices.open("b", Self.first.sql))
      try a.execute("INSERT INTO album VALUES (1, 'Blue', 'Reprise', 5)")
      try exchange(a, b)
      try a.store.migrate(migrations)
      try a.execute("UPDATE record SET publisher = 'Asylum'")
      try b.execute("INSERT INTO album VALUES (2, 'Clouds', 'R', 3)")
      try exchange(a, b)
      #expect(try contents(a) == ["1|Blue|Asylum", "2|Clouds|R"])
      #expect(try contents(b) == contents(a))
      // A device that runs everything at once, and one that runs it where logs are already.
      try devices.attach("c")
      var request = AttachRequest(
        store: devices.path("d"), container: devices.container, contentName: "C")
      request.migrations = migrations
      _ = try Engine.attach(request)
      try b.store.migrate(migrations)
      let others = try ["c", "d"].map { try SyncSession(store: devices.path($0)) }
      try expectEqualAfterExchange(a, b, others[0], others[1])
      for name in ["a", "b", "d"] {
        #expect(try Engine.verify(store: devices.path(name)).differenceCount == 0)
      }
    }
  }

  /// Names that change places: in logs, each would mean the other thing from some transaction on.
  static let swaps = [
    [
      """
      -- tributary: rename album.title to album.name
      ALTER TABLE album RENAME COLUMN title TO name;
      -- tributary: rename album.label to album.title
      ALTER TABLE album RENAME COLUMN label TO title
      """
    ],
    [
      "-- tributary: rename album.title to album.name\nALTER TABLE album RENAME COLUMN title TO name",
      "-- tributary: rename album.label to album.title\nALTER TABLE album RENAME COLUMN label TO title",
    ],
    [
      "-- tributary: drop album.stars\nALTER TABLE album DROP COLUMN stars",
      "ALTER TABLE album ADD COLUMN stars TEXT",
    ],
  ]

  @Test(arguments: swaps)
  func `a name that a migration has given up is refused in a store and in a new one`(
    steps: [String]
  ) throws {
    let migrations =
      [Self.first] + steps.enumerated().map { Migration(name: "\($0 + 2)", sql: $1) }
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      var request = AttachRequest(
        store: devices.path("new"), container: devices.container, contentName: "C")
      request.migrations = migrations
      let before = try devices.present()
      let error = #expect(throws: StoreError.self) { _ = try Engine.attach(request) }
      #expect(error?.message.contains("a name that a migration has given up") == true)
      #expect(try devices.present() == before)
      let a = try devices.open("a", Self.first.sql)
      try a.execute("INSERT INTO album VALUES (1, 'Blue', 'Reprise', 5)")
      #expect {
        try a.store.migrate(migrations)
      } throws: {
        "\($0)".contains("a name that a migration has given up")
      }
      try expectEqualAfterExchange(a)
    }
  }

  @Test func `a new store refuses a declaration that its statements do not carry out`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      var request = AttachRequest(
        store: devices.path("new"), container: devices.container, contentName: "C")
      request.migrations = [
        Self.first, Migration(name: "2", sql: "-- tributary: rename album.label to album.imprint"),
      ]
      #expect {
        _ = try Engine.attach(request)
      } throws: {
        "\($0)".contains(
          #"the migration declares `rename "album"."label" to "album"."imprint"`, but column label of table "#
            + "album is still there")
      }
    }
  }
}
