import Testing
import Tributary
import TributaryTesting

struct FollowedSchemaTests {
  private static let second = Migration(
    name: "002", sql: "ALTER TABLE album ADD COLUMN year INTEGER DEFAULT 1970")

  private func open(
    _ name: String, _ devices: Devices, _ schema: Schema = Devices.schema, follows: Bool = false
  ) async throws -> Store {
    var options = StoreOptions(
      contentName: "Library", container: devices.container, schema: schema)
    options.synchronizesAutomatically = false
    options.followsSchema = follows
    return try await Store.open(at: devices.path(name), options: options)
  }

  @Test func `an older version of an application follows a newer one, and then becomes that`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let newer = Schema(Devices.schema.migrations + [Self.second])
      let a = try await open("a", devices, newer)
      var b = try await open("b", devices, follows: true)
      try settle(a)
      try a.execute("INSERT INTO album VALUES (1, 'Blue', 5, 1971)")
      try a.synchronizeNow()
      let steps = try b.schemaReport().steps
      #expect(steps.map(\.name) == ["001", "002"])
      #expect(steps.map(\.isHere) == [true, false])
      #expect(steps.map(\.waiting.count) == [0, 1])
      let report = try b.synchronizeNow()
      #expect(report.imported.schemas.first?.made == ["column year of table album"])
      try b.execute("INSERT INTO album (id, title) VALUES (2, 'Hejira')")
      try settle(a, b)
      b.close()
      b = try await open("b", devices, newer, follows: true)
      #expect(try b.rows("SELECT year FROM album ORDER BY id") == ["1971", "1970"])
      try settle(a, b)
      #expect(try b.schemaReport().peers.isEmpty)
    }
  }

  @Test func `opening tells when it takes the schema of another device`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await open("a", devices, Schema(Devices.schema.migrations + [Self.second]))
      try a.execute("INSERT INTO album VALUES (1, 'Blue', 5, 1971)")
      try a.synchronizeNow()
      // Each has a column that the other lacks: a new device begins with one of the schemas.
      let third = Migration(name: "003", sql: "ALTER TABLE album ADD COLUMN label TEXT")
      let c = try await open("c", devices, Schema(Devices.schema.migrations + [third]))
      try c.execute("INSERT INTO album (id, title, label) VALUES (2, 'Hejira', 'Asylum')")
      try c.synchronizeNow()
      let steps = Recorded<StoreOptions.Progress>()
      var options = StoreOptions(
        contentName: "Library", container: devices.container, schema: Devices.schema)
      options.synchronizesAutomatically = false
      options.followsSchema = true
      options.progress = { steps.append($0) }
      let b = try await Store.open(at: devices.path("b"), options: options)
      #expect(
        try b.rows("SELECT year, label FROM album ORDER BY id") == ["1971|null", "1970|Asylum"])
      #expect(steps.all.filter { $0.stage == "following a schema" }.map(\.done) == [0, 1])
    }
  }

  @Test func `a store follows from the opening on that says so, and no longer than that`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await open("a", devices)
      var b = try await open("b", devices, follows: true)
      #expect(try b.status().followsSchema)
      b.close()
      b = try await open("b", devices)
      #expect(try !b.status().followsSchema)
      try a.execute("ALTER TABLE album ADD COLUMN year")
      try a.execute("INSERT INTO album VALUES (1, 'Blue', 5, 1971)")
      try a.synchronizeNow()
      #expect(try b.synchronizeNow().waiting.count == 1)
      b.close()
      b = try await open("b", devices, follows: true)
      try settle(a, b)
    }
  }
}
