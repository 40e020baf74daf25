import Foundation
import Synchronization
import Testing
import Tributary
import TributaryTesting

/// How connections are prepared, and what an application is told while a store is opened and used.
struct SetupTests {
  private static let schema: Schema = [
    Migration(
      name: "1",
      sql: """
        CREATE TABLE word (
          id INTEGER PRIMARY KEY, text TEXT,
          initial TEXT GENERATED ALWAYS AS (first_letter(text)) STORED);
        CREATE INDEX backwards ON word (text COLLATE backwards);
        CREATE TRIGGER shout AFTER INSERT ON word WHEN first_letter(new.text) = '!' BEGIN
          UPDATE word SET text = upper(text) WHERE id = new.id;
        END
        """)
  ]

  @Sendable private static func prepare(_ setup: borrowing ConnectionSetup) throws {
    try setup.createFunction("first_letter", argumentCount: 1) { values in
      values[0].stringValue?.first.map { .string(String($0)) } ?? .null
    }
    try setup.createFunction("fail", argumentCount: 0, deterministic: false) { _ in
      throw Failure()
    }
    try setup.createFunction("echo") { $0.first ?? .null }
    try setup.createCollation("backwards") { a, b in
      let (a, b) = (String(a.reversed()), String(b.reversed()))
      return a < b ? -1 : a == b ? 0 : 1
    }
    try setup.execute("PRAGMA cache_size = -4321")
  }

  private struct Failure: Error, CustomStringConvertible {
    var description: String { "no luck" }
  }

  private func options(
    _ devices: Devices, _ change: (inout StoreOptions) -> Void = { _ in }
  ) -> StoreOptions {
    var options = StoreOptions(
      contentName: "Words", container: devices.container, schema: Self.schema)
    options.synchronizesAutomatically = false
    options.prepare = { try Self.prepare($0) }
    change(&options)
    return options
  }

  @Test func `functions and collations are there for writes, imports, verify and rebuild`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await Store.open(at: devices.path("a"), options: options(devices))
      let b = try await Store.open(at: devices.path("b"), options: options(devices))
      try a.execute("INSERT INTO word (id, text) VALUES (1, 'blue'), (2, '!ear'), (3, 'owl')")
      try exchange(a, b)
      for store in [a, b] {
        #expect(
          try store.rows("SELECT text, initial FROM word ORDER BY text COLLATE backwards")
            == [
              "blue|b", "owl|o", "!EAR|!",
            ].sorted {
              String($0.prefix { $0 != "|" }.reversed())
                < String($1.prefix { $0 != "|" }.reversed())
            })
      }
      #expect(
        try b.rows("SELECT typeof(echo(x'00')), echo(1.5), echo('é'), echo()") == [
          "blob|1.5|é|null"
        ])
      #expect(try b.rows("PRAGMA cache_size") == ["-4321"])
      #expect(try b.verify().differenceCount == 0)
      let error = #expect(throws: SQLiteError.self) { try b.rows("SELECT fail()") }
      #expect(error?.message.contains("no luck") == true)
      let path = b.path
      b.close()
      try await Store.rebuild(at: path)
      let again = try await Store.open(at: path, options: options(devices))
      #expect(try again.digest() == a.digest())
      let reader = try StoreReader(at: path)
      #expect(try reader.read { try $0.query(String.self, "SELECT first_letter('x')") } == ["x"])
      reader.close()
      for store in [a, again] { store.close() }
    }
  }

  @Test func `what could harm the store is refused before anything is made`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let refused: [@Sendable (borrowing ConnectionSetup) throws -> Void] = [
        { try $0.execute("PRAGMA journal_mode = DELETE") },
        { try $0.execute("PRAGMA cache_size = 1; DROP TABLE x") },
        { try $0.execute("DELETE FROM album") },
        { try $0.createFunction("Length") { _ in .null } },
        { try $0.createFunction("tributary_id") { _ in 1 } },
        { try $0.createCollation("nocase") { _, _ in 0 } },
        { try $0.loadExtension("/no/such/file.so") },
        { _ in throw Failure() },
      ]
      for prepare in refused {
        await #expect(throws: (any Error).self) {
          _ = try await Store.open(
            at: devices.path("a"), options: options(devices) { $0.prepare = prepare })
        }
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["shared"])
    }
  }

  @Test func `what cannot be prepared is said of the database that it is for`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let refused: [(String, @Sendable (borrowing ConnectionSetup) throws -> Void)] = [
        (
          "the function f cannot be made",
          { try $0.createFunction("f", argumentCount: 5000) { _ in 1 } }
        ),
        (
          "the function f cannot be made",
          { try $0.createFunction("f", argumentCount: -1) { _ in 1 } }
        ),
        ("the function length exists", { try $0.createFunction("length") { _ in 1 } }),
        ("this statement cannot be part", { try $0.execute("PRAGMA journal_mode = DELETE") }),
      ]
      for (message, prepare) in refused {
        let opening = await #expect(throws: SQLiteError.self) {
          _ = try await Store.open(
            at: devices.path("a"), options: options(devices) { $0.prepare = prepare })
        }
        #expect(opening?.message.hasPrefix(message) == true)
        #expect(opening?.details.path == devices.path("a") && opening?.details.remedy != "")
        let reading = #expect(throws: SQLiteError.self) {
          try StoreReader(at: devices.path("a"), prepare: prepare)
        }
        #expect(reading?.description == opening?.description)
      }
    }
  }

  @Test func `statements are traced, and events logged`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let traces = Recorded<StatementTrace>()
      let events = Recorded<LogEvent>()
      let a = try await Store.open(
        at: devices.path("a"),
        options: options(devices) {
          $0.trace = { traces.append($0) }
          $0.log = { events.append($0) }
        })
      let b = try await Store.open(at: devices.path("b"), options: options(devices))
      // What the migration does comes first.
      let count = traces.all.count
      try a.write { db in
        try db.execute("INSERT INTO word (text) VALUES (?)", "secret")
        let statement = try db.prepare("UPDATE word SET text = ?")
        for text in ["a", "b"] { try statement.run(text) }
        try statement.bind("c", at: 1)
        try statement.run()
      }
      try a.read { db in
        try db.forEach("SELECT text FROM word") { _ in _ = try db.first("SELECT 1") }
      }
      let seen = Array(traces.all.dropFirst(count))
      // What the library reads for itself is not the application's.
      _ = try a.digest()
      try a.synchronizeNow()
      let others = Set(traces.all.dropFirst(count + seen.count).map(\.sql))
      #expect(others.isSubset(of: ["BEGIN", "ROLLBACK"]))
      let update = "UPDATE word SET text = ?"
      #expect(
        seen.map(\.sql) == [
          "BEGIN IMMEDIATE", "INSERT INTO word (text) VALUES (?)", update, update, update, "COMMIT",
          "BEGIN", "SELECT 1", "SELECT text FROM word", "ROLLBACK",
        ])
      #expect(seen.filter { !$0.isReadOnly }.map(\.sql).contains(update))
      #expect(seen.first { $0.sql == "SELECT text FROM word" }?.isReadOnly == true)
      try a.synchronizeNow()
      try b.execute("INSERT INTO word (text) VALUES ('x')")
      try exchange(b, a)
      try FileManager.default.moveItem(
        atPath: devices.container.path, toPath: devices.container.path + "-away")
      try a.synchronizeNow()
      a.close()
      let messages = events.all.map(\.message)
      #expect(messages.contains("opened") && messages.contains("published"))
      #expect(messages.contains("imported") && messages.last == "closed")
      #expect(events.all.contains { $0.level == .warning && $0.metadata["code"] != nil })
      #expect(events.all.allSatisfy { $0.metadata["store"] == a.path })
      b.close()
    }
  }

  @Test func `opening tells of its progress, and stops when the application throws`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await Store.open(at: devices.path("a"), options: options(devices))
      for id in 1...5 { try a.execute("INSERT INTO word VALUES (\(id), 'w')") }
      try a.synchronizeNow()
      let before = try devices.listing().keys.sorted()
      await #expect(throws: Failure.self) {
        _ = try await Store.open(
          at: devices.path("b"),
          options: options(devices) { $0.progress = { _ in throw Failure() } })
      }
      #expect(try devices.listing().keys.sorted() == before)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: directory).allSatisfy {
          !$0.hasPrefix("b")
        })
      let task = Task {
        try await Store.open(
          at: devices.path("b"),
          options: options(devices) {
            $0.progress = { _ in withUnsafeCurrentTask { $0?.cancel() } }
          })
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
      let steps = Recorded<StoreOptions.Progress>()
      let b = try await Store.open(
        at: devices.path("b"), options: options(devices) { $0.progress = { steps.append($0) } })
      #expect(try b.digest() == a.digest())
      #expect(steps.all.contains { $0.stage == "importing" && ($0.fraction ?? 0) > 0 })
      for store in [a, b] { store.close() }
    }
  }

  @Test func `preparations and traces count for the file, however its path is spelled`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let (folder, link) = (directory + "/folder", directory + "/link")
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder)
      // Before the file exists.
      let traces = Recorded<StatementTrace>()
      let linked = try await Store.open(
        at: link + "/a.sqlite", options: options(devices) { $0.trace = { traces.append($0) } })
      linked.close()
      let file = directory + "/other-name.sqlite"
      try FileManager.default.createSymbolicLink(
        atPath: file, withDestinationPath: folder + "/a.sqlite")
      for (number, path) in [
        folder + "/a.sqlite", folder + "/./a.sqlite", link + "/../link/a.sqlite", file,
      ].enumerated() {
        let reader = try StoreReader(at: path)
        defer { reader.close() }
        let sql = "SELECT first_letter('\(number)')"
        #expect(try reader.read { try $0.query(String.self, sql) } == ["\(number)"])
        #expect(traces.all.contains { $0.sql == sql })
      }
      // The last one counts, also for those who have named the file otherwise.
      let store = try await Store.open(
        at: folder + "/a.sqlite",
        options: options(devices) {
          $0.prepare = { setup in
            try Self.prepare(setup)
            try setup.execute("PRAGMA cache_size = -1234")
          }
        })
      defer { store.close() }
      let reader = try StoreReader(at: link + "/a.sqlite")
      defer { reader.close() }
      #expect(try reader.read { try $0.query(Int.self, "PRAGMA cache_size") } == [-1234])
      #expect(try store.rows("PRAGMA cache_size") == ["-1234"])
    }
  }

  @Test
  func `a reader reads a store that is open elsewhere, without a container, and changes nothing`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let store = try await devices.open("a")
      try store.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      let peer = store.peer
      let first = try StoreReader(at: store.path)
      #expect(first.peer == peer && first.contentName == "Library")
      #expect(try first.read { try $0.query(String.self, "SELECT title FROM album") } == ["Blue"])
      try store.execute("UPDATE album SET title = 'Hejira'")
      #expect(
        try await first.async.read { try $0.query(String.self, "SELECT title FROM album") }
          == ["Hejira"])
      store.close()
      first.close()
      #expect(throws: StoreError.self) { try first.read { _ in } }
      try FileManager.default.removeItem(atPath: devices.container.path)
      func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
      }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: store.path))
      let before = try files()
      let reader = try StoreReader(at: store.path)
      let error = #expect(throws: StoreError.self) {
        try reader.read { try $0.execute("DELETE FROM album") }
      }
      #expect(error?.code == .misuse)
      #expect(try reader.read { try $0.query(Int.self, "SELECT count(*) FROM album") } == [1])
      reader.close()
      #expect(try files() == before)
      #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)) == bytes)
      for path in [devices.path("none"), directory] {
        #expect(throws: (any Error).self) { try StoreReader(at: path) }
      }
      #expect(try files() == before)
    }
  }

  @Test func `a store moves to another path and stays the same`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let (a, b) = (try await devices.open("a"), try await devices.open("b"))
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try exchange(a, b)
      try a.execute("UPDATE album SET rating = 5")
      let (old, new) = (a.path, devices.path("moved"))
      let (peer, digest) = (a.peer, try a.digest())
      let inUse = await #expect(throws: SyncError.self) { try await Store.relocate(old, to: new) }
      #expect(inUse?.code == .inUse && !FileManager.default.fileExists(atPath: new))
      a.close()
      for path in [b.path, "/proc/a.sqlite", directory + "/no/such/a.sqlite"] {
        let error = await #expect(throws: StoreError.self) {
          try await Store.relocate(old, to: path)
        }
        #expect(error?.code == .path)
      }
      await #expect(throws: ContainerError.self) {
        try await Store.relocate(old, to: devices.container.path + "/a.sqlite")
      }
      try await Store.relocate(old, to: new)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: directory).allSatisfy {
          !$0.hasPrefix("a.")
        })
      let moved = try await devices.open("moved")
      #expect(try moved.digest() == digest && moved.peer == peer)
      let report = try moved.synchronizeNow()
      #expect(report.renewal == nil && report.uncaptured == nil && moved.peer == peer)
      try exchange(moved, b)
      #expect(try b.digest() == digest)
      // The former place is free for a store of its own.
      let other = try await devices.open("a")
      #expect(try other.digest() == digest && other.peer != peer)
      await #expect(throws: StoreError.self) {
        try await Store.relocate(devices.path("none"), to: devices.path("none2"))
      }
      for store in [moved, b, other] { store.close() }
    }
  }
}
