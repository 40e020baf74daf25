import Foundation
import Testing
import Tributary
import TributaryTesting

struct OpeningTests {
  @Test
  func `a missing store is rebuilt from the logs, and then accepts edits`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b")
      try a.execute("INSERT INTO album VALUES (1, 'Blue', 5), (2, 'Hejira', 4)")
      try b.execute("INSERT INTO album VALUES (3, 'Mingus', 3)")
      try exchange(a, b)
      try a.execute("DELETE FROM album WHERE id = 2")
      try exchange(a, b)
      let lost = b.peer
      b.close()
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: devices.path("b") + suffix)
      }
      let again = try await devices.open("b")
      #expect(again.peer != lost)
      #expect(try again.digest() == a.digest())
      try again.execute("INSERT INTO album VALUES (9, 'Court and Spark', NULL)")
      try exchange(a, again)
      #expect(try again.digest() == a.digest())
    }
  }

  @Test
  func `each write waits for the disk where the options say so`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      var options = StoreOptions(
        contentName: "Library", container: devices.container, schema: Devices.schema)
      options.synchronizesAutomatically = false
      func modes() async throws -> [Int64] {
        let store = try await Store.open(at: devices.path("a"), options: options)
        defer { store.close() }
        return try (0..<2).map { _ in
          try store.write { database in
            try database.query("PRAGMA synchronous").first?.integer("synchronous") ?? -1
          }
        }
      }
      let normal = try await modes()
      options.synchronous = .full
      #expect(try await (normal.first, modes()) == (1, [2, 2]))
    }
  }

  @Test
  func `the schema comes from the container when the application brings none`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try a.synchronizeNow()
      let b = try await devices.open("b", schema: [])
      #expect(try b.rows("SELECT title FROM album") == ["Blue"])
    }
  }

  @Test
  func `a store opens while its container is away, and publishes when it is back`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      try await devices.open("a").close()
      let path = devices.container.path
      try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
      #expect(throws: ContainerError.self) { try Container(at: path) }
      var options = StoreOptions(contentName: "Library", container: Container(expectedAt: path))
      options.synchronizesAutomatically = false
      let a = try await Store.open(at: devices.path("a"), options: options)
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      #expect(try a.synchronizeNow().failure != nil)
      #expect(try a.status().trouble?.kind == "absent")
      try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
      #expect(try a.synchronizeNow().published.transactions == 1)
      #expect(try a.status().trouble == nil)
    }
  }

  @Test
  func `a store opened again keeps its identity and its rows`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let first = try await devices.open("a")
      try first.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      first.close()
      let second = try await devices.open("a")
      #expect(second.peer == first.peer)
      #expect(try second.rows("SELECT title FROM album") == ["Blue"])
    }
  }

  @Test
  func `a later migration is run once, and logs of the newer schema wait for it`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      var newer = Devices.schema
      newer.migrations.append(
        Migration(name: "002", sql: "ALTER TABLE album ADD COLUMN label TEXT DEFAULT 'none'"))
      let old = try await devices.open("old")
      let new = try await devices.open("new", schema: newer)
      try new.execute("INSERT INTO album VALUES (1, 'Blue', NULL, 'Reprise')")
      try old.execute("INSERT INTO album VALUES (2, 'Hejira', NULL)")
      try exchange(old, new)
      #expect(try old.synchronizeNow().waiting.first?.description.contains("label") == true)
      #expect(try old.rows("SELECT id FROM album") == ["2"])
      #expect(try new.rows("SELECT label FROM album ORDER BY id") == ["Reprise", "none"])
      old.close()
      let upgraded = try await devices.open("old", schema: newer)
      try exchange(upgraded, new)
      #expect(try upgraded.digest() == new.digest())
    }
  }

  @Test
  func `a write inside a write, and BEGIN inside one, are refused with a remedy`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      #expect(throws: StoreError.self) {
        try a.write { _ in try a.execute("DELETE FROM album") }
      }
      #expect(throws: StoreError.self) { try a.execute("BEGIN") }
      #expect(throws: SQLiteError.self) { try a.execute("DELETE FROM tributary_outbox") }
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
    }
  }

  @Test
  func `a database that leaves its closure is of no more use`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let leaked = try a.write { $0 }
      #expect(throws: StoreError.self) { try leaked.execute("DELETE FROM album") }
    }
  }

  @Test(arguments: [
    "ALTER TABLE album RENAME COLUMN rating TO stars", "ALTER TABLE album DROP COLUMN rating",
    "ALTER TABLE track RENAME TO song", "DROP TABLE track",
  ])
  func `what logs name may not go: a rename or a drop is refused, and changes nothing`(
    sql: String
  ) async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      // Nothing has been logged yet, so nothing can be missed.
      try a.execute("CREATE TABLE draft (id INTEGER PRIMARY KEY); DROP TABLE draft")
      try a.execute("INSERT INTO album VALUES (1, 'Blue', 5)")
      let before = try a.rows("SELECT sql FROM sqlite_schema ORDER BY rowid")
      #expect(throws: StoreError.self) { try a.execute(sql) }
      #expect(try a.rows("SELECT sql FROM sqlite_schema ORDER BY rowid") == before)
      try a.execute("UPDATE album SET rating = 4")
      let b = try await devices.open("b", schema: [])
      try exchange(a, b)
      #expect(try b.digest() == a.digest())
    }
  }
}
