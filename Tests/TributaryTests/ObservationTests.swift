import Foundation
import Synchronization
import Testing
import Tributary
import TributaryTesting

import class TributarySQLite.Connection
import class TributaryStore.LocalStore

/// What an application is told of changes, whoever makes them.
struct ObservationTests {
  private static let insert = "INSERT INTO album (id, title) VALUES (?, ?)"

  /// A table, and the keys of the rows that were inserted, updated and deleted.
  private static func told(_ change: StoreChange) -> [String] {
    change.tables.sorted { $0.key < $1.key }.map { table, rows in
      let keys = [rows.inserted, rows.updated, rows.deleted].map { list in
        list.keys.map { $0.map(\.description).joined(separator: ",") }.joined(separator: " ")
      }
      return "\(table) +\(keys[0]) ~\(keys[1]) -\(keys[2])"
    }
  }

  @Test func `own writes are told with their rows, and what was rolled back is not`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let store = try await devices.open("a")
      try store.execute("INSERT INTO album VALUES (9, 'before', 1)")
      var changes = store.changes.makeAsyncIterator()
      struct Failure: Error {}
      #expect(throws: Failure.self) {
        try store.write { db in
          try db.execute(Self.insert, 1, "lost")
          throw Failure()
        }
      }
      try store.write { _ in }
      try store.write { db in
        try db.execute(Self.insert, 2, "Blue")
        try db.execute("UPDATE album SET rating = 3 WHERE id = 9")
        try db.execute("INSERT INTO track VALUES (7, 2, 'Carey')")
      }
      let change = try #require(await changes.next())
      #expect(change.origin == .write && change.sequence == SequenceNumber(2))
      #expect(Self.told(change) == ["album +2 ~9 -", "track +7 ~ -"])
      #expect(change.tablesWithUnlistedRows.isEmpty && !change.mayHaveChangedEverything)
      #expect(change.mayConcern("TRACK") && !change.mayConcern("artist"))
      try store.execute("DELETE FROM album WHERE id = 2")
      let deletion = try #require(await changes.next())
      #expect(Self.told(deletion) == ["album + ~ -2", "track + ~ -7"])
      try store.execute("CREATE TABLE later (x)")
      #expect(await changes.next()?.mayHaveChangedEverything == true)
      store.close()
      #expect(await changes.next() == nil)
    }
  }

  @Test func `imports are told with their peers, also to another store on the file`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let (a, b) = (try await devices.open("a"), try await devices.open("b"))
      let other = try await devices.open("b")
      try exchange(a, b)
      var own = b.changes.makeAsyncIterator()
      var beside = other.changes.makeAsyncIterator()
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try exchange(a, b)
      for change in [await own.next(), await beside.next()] {
        let change = try #require(change)
        #expect(change.origin == .peers && change.sources.map(\.peer) == [a.peer])
        #expect(Self.told(change) == ["album +1 ~ -"])
      }
      try b.execute("UPDATE album SET rating = 5")
      #expect(await own.next()?.origin == .write)
      let change = try #require(await beside.next())
      #expect(change.origin == .otherConnection && Self.told(change) == ["album + ~1 -"])
      for store in [a, b, other] { store.close() }
    }
  }

  @Test(arguments: [false, true])
  func `writes of other connections are told`(hasTriggers: Bool) async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      var options = StoreOptions(
        contentName: "Library", container: devices.container, schema: Devices.schema)
      options.synchronizesAutomatically = false
      options.capture = hasTriggers ? .triggers : .hook
      let store = try await Store.open(at: devices.path("a"), options: options)
      try store.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      var changes = store.changes.makeAsyncIterator()
      // Neither knows of this store, as if another process had opened it.
      let process = try LocalStore(path: store.path, milliseconds: { 1_700_000_000_000 })
      try process.write { try $0.execute(Self.insert, 2, "Hejira") }
      let written = try #require(await changes.next())
      #expect(written.origin == .otherConnection && Self.told(written) == ["album +2 ~ -"])
      let program = try Connection(path: store.path, mode: .readWrite)
      try program.execute("UPDATE album SET rating = 4 WHERE id = 1")
      let found = try #require(await changes.next())
      #expect(found.origin == .otherConnection && found.mayConcern("album"))
      if hasTriggers { #expect(Self.told(found) == ["album + ~1 -"]) }
      program.close()
      process.close()
      store.close()
    }
  }

  @Test func `writes and imports of other processes are told, and values follow them`() async throws
  {
    func run(_ program: String, _ words: String...) throws {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [program] + words
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(program) \(words)")
    }
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      var options = StoreOptions(
        contentName: "Library", container: devices.container, schema: Devices.schema)
      options.synchronizesAutomatically = false
      options.capture = .triggers
      let store = try await Store.open(at: devices.path("a"), options: options)
      let peer = try await devices.open("b")
      var changes = store.changes.makeAsyncIterator()
      var counts = store.values { try $0.query("SELECT count(*) FROM album")[0][0] }
        .makeAsyncIterator()
      #expect(try await counts.next() == 0)
      try run("sqlite3", store.path, "INSERT INTO album VALUES (1, 'Hejira', NULL)")
      let written = try #require(await changes.next())
      #expect(written.origin == .otherConnection && Self.told(written) == ["album +1 ~ -"])
      #expect(try await counts.next() == 1)
      try peer.execute("INSERT INTO album VALUES (2, 'Blue', NULL)")
      try peer.synchronizeNow()
      try run(BuiltExecutable.path("tributary"), "sync", store.path)
      let imported = try #require(await changes.next())
      #expect(imported.origin == .peers && imported.sources.map(\.peer) == [peer.peer])
      #expect(Self.told(imported) == ["album +2 ~ -"])
      #expect(try await counts.next() == 2)
      for store in [store, peer] { store.close() }
    }
  }

  @Test func `values are read again only when their tables have changed`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let store = try await devices.open("a")
      let reads = Mutex(0)
      let values = store.values { db in
        reads.withLock { $0 += 1 }
        return try db.query("SELECT count(*) FROM album")[0][0]
      }
      var titles = values.makeAsyncIterator()
      var tracks = store.values(tracking: ["track"]) { db in
        try db.query("SELECT (SELECT count(*) FROM album), count(*) FROM track")[0].values
      }.makeAsyncIterator()
      #expect(try await titles.next() == 0)
      #expect(try await tracks.next() == [0, 0])
      try store.execute("INSERT INTO track VALUES (1, NULL, 'Carey')")
      #expect(try await tracks.next() == [0, 1])
      // Publishing writes into the file, too.
      try store.synchronizeNow()
      try store.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      #expect(try await titles.next() == 1)
      #expect(reads.withLock { $0 } == 2)
      for id in 2...50 { try store.execute("INSERT INTO album VALUES (\(id), '\(id)', NULL)") }
      #expect(try await titles.next() == 50)
      #expect(reads.withLock { $0 } == 3)
      try store.execute("INSERT INTO track VALUES (2, NULL, 'River')")
      #expect(try await tracks.next() == [50, 2])
      store.close()
      #expect(try await titles.next() == nil)
      #expect(try await tracks.next() == nil)
    }
  }

  @Test func `values follow imports, other processes, and tables that are not replicated`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      var options = StoreOptions(
        contentName: "Library", container: devices.container,
        schema: [
          Migration(
            name: "1",
            sql: """
              CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
              CREATE TABLE draft (id INTEGER PRIMARY KEY, text TEXT);
              CREATE VIRTUAL TABLE words USING fts5 (text);
              CREATE TRIGGER fill AFTER INSERT ON note BEGIN
                INSERT INTO words (rowid, text) VALUES (new.id, new.text);
              END;
              CREATE VIEW notes AS SELECT text FROM note
              """)
        ])
      options.synchronizesAutomatically = false
      options.tables = .except(["draft"])
      let a = try await Store.open(at: devices.path("a"), options: options)
      let b = try await Store.open(at: devices.path("b"), options: options)
      var drafts = b.values { try $0.query("SELECT count(*) FROM draft")[0][0] }
        .removeDuplicates().makeAsyncIterator()
      var found = b.values { db in
        try db.query("SELECT count(*) FROM words WHERE words MATCH 'blue'")[0][0]
      }.removeDuplicates().makeAsyncIterator()
      var notes = b.values { try $0.query("SELECT count(*) FROM notes")[0][0] }
        .removeDuplicates().makeAsyncIterator()
      #expect(try await drafts.next() == 0)
      #expect(try await found.next() == 0)
      #expect(try await notes.next() == 0)
      try b.execute("INSERT INTO draft VALUES (1, 'x')")
      #expect(try await drafts.next() == 1)
      try a.execute("INSERT INTO note VALUES (1, 'blue sky')")
      try exchange(a, b)
      #expect(try await found.next() == 1)
      #expect(try await notes.next() == 1)
      let process = try LocalStore(path: b.path, milliseconds: { 1_700_000_000_000 })
      try process.write { try $0.execute("INSERT INTO draft VALUES (2, 'y')") }
      #expect(try await drafts.next() == 2)
      try process.write { try $0.execute("INSERT INTO note VALUES (3, 'blue')") }
      #expect(try await found.next() == 2)
      process.close()
      for store in [a, b] { store.close() }
    }
  }

  @Test func `an observation ends with its task, and says what it cannot observe`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let store = try await devices.open("a")
      try store.execute("CREATE VIEW titles AS SELECT title FROM album")
      for (name, word) in [("albums", "no table albums"), ("titles", "titles is a view")] {
        var values = store.values(tracking: [name]) { _ in 1 }.makeAsyncIterator()
        let error = await #expect(throws: StoreError.self) { _ = try await values.next() }
        #expect(error?.code == .misuse && error?.message.contains(word) == true)
      }
      var failing = store.values { try $0.query("SELECT nothing FROM album").count }
        .makeAsyncIterator()
      await #expect(throws: SQLiteError.self) { _ = try await failing.next() }
      #expect(try await failing.next() == nil)
      let (started, start) = AsyncStream<Void>.makeStream()
      let task = Task {
        var count = 0
        for try await _ in store.values({ try $0.query("SELECT * FROM album").count }) {
          count += 1
          start.yield()
        }
        return count
      }
      for await _ in started { break }
      task.cancel()
      #expect(try await task.value == 1)
      store.close()
      var late = store.values { _ in 1 }.makeAsyncIterator()
      #expect(try await late.next() == nil)
      var none = store.changes.makeAsyncIterator()
      #expect(await none.next() == nil)
    }
  }

  @Test func `a store that nobody observes any more has no thread for it`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let store = try await devices.open("a")
      for _ in 0..<3 {
        var changes = Optional(store.changes.makeAsyncIterator())
        try store.execute("INSERT INTO album (title) VALUES (NULL)")
        #expect(await changes?.next()?.origin == .write)
        changes = nil
      }
      #expect(!store.isObserved)
      store.close()
    }
  }
}
