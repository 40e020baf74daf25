import Testing
import Tributary
import TributarySQLite
import TributaryTesting

/// Openings that take long: the progress that they report, and what is left when the application cancels them.
struct LongOpeningTests {
  /// Never ends by itself.
  private static let endless = Migration(
    name: "002",
    sql: """
      CREATE TABLE number (id INTEGER PRIMARY KEY, count INTEGER);
      INSERT INTO number (count)
      WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n
      """)

  private func options(
    _ devices: Devices, _ schema: Schema,
    _ progress: @escaping @Sendable (StoreOptions.Progress) throws -> Void
  ) -> StoreOptions {
    var options = StoreOptions(
      contentName: "Library", container: devices.container, schema: schema)
    options.synchronizesAutomatically = false
    options.progress = progress
    return options
  }

  private func cancelledOpening(
    _ devices: Devices, _ schema: Schema, at stage: String, _ done: Int
  ) async throws -> [StoreOptions.Progress] {
    await cancelledAt(stage, done) { progress in
      try await Store.open(at: devices.path("a"), options: options(devices, schema, progress))
        .close()
    }
  }

  @Test func `a migration of a new store is cancelled within its statement, and nothing is made`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let before = try files(directory)
      let schema = Schema(Devices.schema.migrations + [Self.endless])
      let steps = try await cancelledOpening(devices, schema, at: "migrating", 1)
      #expect(steps.map(\.stage) == ["migrating", "migrating"])
      #expect(steps.map(\.done) == [0, 1] && steps.map(\.total) == [2, 2])
      #expect(try files(directory) == before)
      let store = try await devices.open("a")
      store.close()
    }
  }

  @Test func `a migration of a present store is cancelled, and leaves what was before it`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let store = try await devices.open("a")
      try store.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      let (peer, digest) = (store.peer, try store.digest())
      store.close()
      let middle = Migration(name: "001b", sql: "CREATE TABLE middle (id INTEGER PRIMARY KEY)")
      let schema = Schema(Devices.schema.migrations + [middle, Self.endless])
      let steps = try await cancelledOpening(devices, schema, at: "migrating", 1)
      #expect(steps.map(\.done) == [0, 1] && steps.map(\.total) == [2, 2])
      let again = try await devices.open(
        "a", schema: Schema(Devices.schema.migrations + [middle]))
      defer { again.close() }
      #expect(again.peer == peer)
      #expect(try again.rows("SELECT id, title FROM album") == ["1|Blue"])
      #expect(
        try again.rows(
          "SELECT name FROM sqlite_schema WHERE name IN ('middle', 'number') ORDER BY name")
          == ["middle"])
      #expect(try again.digest() != digest, "a table more")
      #expect(try again.synchronizeNow().failure == nil)
    }
  }

  @Test func `the adoption of a database tells of its rows, and is cancelled without a trace`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let connection = try Connection(path: devices.path("a"), mode: .create)
      try connection.execute(
        """
        CREATE TABLE number (id INTEGER PRIMARY KEY);
        INSERT INTO number
        WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 25000) SELECT x FROM n
        """)
      connection.close()
      let before = try files(directory)
      let cancelled = try await cancelledOpening(devices, [], at: "adopting", 10_000)
      #expect(cancelled.map(\.done) == [0, 10_000])
      #expect(try files(directory) == before)
      let steps = Recorded<StoreOptions.Progress>()
      let store = try await Store.open(
        at: devices.path("a"), options: options(devices, []) { steps.append($0) })
      defer { store.close() }
      #expect(steps.all.map(\.stage) == ["adopting", "adopting", "adopting"])
      #expect(steps.all.map(\.done) == [0, 10_000, 20_000])
      #expect(steps.all.allSatisfy { $0.total == 25_000 })
      #expect(try store.rows("SELECT count(*) FROM number") == ["25000"])
    }
  }
}
