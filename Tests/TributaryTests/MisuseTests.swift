import Foundation
import Synchronization
import Testing
import Tributary
import TributaryFiles
import TributaryTesting

/// What an application may do in the wrong place or order: an error, and never a trap or a wait.
struct MisuseTests {
  private func withStore(_ body: (Store) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let store = try await devices.open("a")
      try store.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try await body(store)
      // Whatever went wrong, it goes on.
      try store.execute("UPDATE album SET rating = 5")
      #expect(try store.synchronizeNow().failure == nil)
      #expect(try store.rows("SELECT title, rating FROM album") == ["Blue|5"])
      store.close()
      #expect(openDescriptors(of: devices.path("a")) == 0)
    }
  }

  private struct Mistake: Error {}

  @Test
  func `what a closure throws comes out, and what it wrote is gone`() async throws {
    try await withStore { store in
      #expect(throws: Mistake.self) {
        try store.write { db in
          try db.execute("DELETE FROM album")
          let statement = try db.prepare("INSERT INTO album (title) VALUES (?)")
          try statement.run("Hejira")
          throw Mistake()
        }
      }
      #expect(throws: Mistake.self) { try store.read { _ in throw Mistake() } }
    }
  }

  @Test
  func `reads and writes may be nested, but for a write in a write`() async throws {
    try await withStore { store in
      try store.read { outer in
        let before = try outer.query("SELECT count(*) FROM album")[0][0]
        try store.read { inner in
          let rows = try inner.query("SELECT count(*) FROM album")
          #expect(rows[0][0] == before)
        }
        try store.execute("UPDATE album SET rating = 3")
        _ = try store.synchronizeNow()
        // It is still of the moment at which it began.
        let rows = try outer.query("SELECT rating FROM album")
        #expect(rows[0][0] == .null)
        #expect(throws: (any Error).self) { try outer.execute("DELETE FROM album") }
      }
      try store.write { outer in
        try outer.execute("UPDATE album SET rating = 4")
        #expect(try store.rows("SELECT rating FROM album") == ["3"])
        let error = #expect(throws: StoreError.self) { try store.write { _ in } }
        #expect(error?.code == .misuse)
      }
    }
  }

  @Test(arguments: ["BEGIN", "COMMIT", "ROLLBACK", "END", "BEGIN IMMEDIATE"])
  func `transactions belong to read and write`(sql: String) async throws {
    try await withStore { store in
      for call in [
        { try store.write { db in try db.execute(sql) } },
        { try store.write { db in try db.prepare(sql).run() } },
        { try store.write { db in _ = try db.query(sql) } },
        { try store.read { db in try db.execute(sql) } },
      ] as [() throws -> Void] {
        let error = #expect(throws: StoreError.self) { try call() }
        #expect(error?.code == .transactionControl)
      }
    }
  }

  @Test
  func `a conflict that there is not, and a version of another store, are named`() async throws {
    try await withStore { store in
      #expect(throws: SyncError.self) { try store.resolve("0123456789abcdef", .keep) }
      #expect(throws: SyncError.self) { try store.resolve("", .restore) }
      let foreign = try #require(Version("00000000000000000000000000000001"))
      let error = #expect(throws: StoreError.self) { try store.write(basedOn: foreign) { _ in } }
      #expect(error?.code == .version)
    }
  }

  @Test
  func `a statement whose rows are being lent refuses another run, and goes on with its own`()
    async throws
  {
    try await withStore { store in
      try store.read { db in
        let statement = try db.prepare("SELECT ? UNION ALL SELECT 2 UNION ALL SELECT 3")
        var seen: [Int64?] = []
        try statement.forEach([1]) { row in
          seen.append(row.integer(at: 0))
          for call in [
            { try statement.forEach([7]) { _ in } }, { _ = try statement.query([7]) },
            { _ = try statement.first([7]) }, { try statement.run([7]) }, { try statement.run() },
            { try statement.bind(7, at: 1) }, { try statement.bind("x", at: 1) },
            { try statement.bindNull(at: 1) },
          ] as [() throws -> Void] {
            let error = #expect(throws: StoreError.self) { try call() }
            #expect(error?.code == .misuse)
          }
        }
        #expect(seen == [1, 2, 3])
        #expect(try statement.query([4]).map(\.values) == [[4], [2], [3]])
      }
    }
  }

  @Test
  func `an index out of range is an error, at the first and the last that there are`() async throws
  {
    try await withStore { store in
      try store.write { db in
        let statement = try db.prepare("UPDATE album SET rating = ? WHERE id = ?")
        for index in [Int.min, -1, 0, 3, .max] {
          for call in [
            { try statement.bind(1, at: index) }, { try statement.bind(0.5, at: index) },
            { try statement.bind("x", at: index) }, { try statement.bindNull(at: index) },
            { try [1].withUnsafeBytes { try statement.bind(borrowedBlob: $0, at: index) } },
            { try [1].withUnsafeBytes { try statement.bind(borrowedText: $0, at: index) } },
          ] as [() throws -> Void] {
            let error = #expect(throws: SQLiteError.self) { try call() }
            #expect(error?.message == "there is no parameter \(index): the statement has 2")
          }
        }
        try statement.bind(2, at: 1)
        try statement.bind(1, at: 2)
        try statement.run()
      }
    }
  }

  @Test
  func `a path that cannot be a store is refused, and the directory is as it was`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let before = try FileManager.default.subpathsOfDirectory(atPath: directory).sorted()
      for path in [directory, directory + "/none/a.sqlite", devices.container.path + "/a.sqlite"] {
        var options = StoreOptions(
          contentName: "Library", container: devices.container, schema: Devices.schema)
        options.synchronizesAutomatically = false
        await #expect(throws: (any Error).self) {
          _ = try await Store.open(at: path, options: options)
        }
      }
      #expect(try FileManager.default.subpathsOfDirectory(atPath: directory).sorted() == before)
      #expect(throws: ContainerError.self) { try Container(at: directory + "/none") }
      #expect(throws: (any Error).self) { try Container(at: "") }
    }
  }

  @Test @MainActor
  func `an observer on the main queue may wait while the main thread closes the store`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b", automatically: true)
      let codes = Mutex<[StoreError.Code?]>([])
      let observer = NotificationCenter.default.addObserver(
        forName: .didImportUbiquitousContentChanges, object: b, queue: .main
      ) { [weak b] _ in
        // The store was closed meanwhile.
        do { _ = try b?.synchronizeNow() } catch {
          codes.withLock { $0.append((error as? StoreError)?.code) }
        }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      let imports = b.imports
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try a.synchronizeNow()
      for await _ in imports {
        // On the main thread, for which the notification waits, or will.
        b.close()
      }
      #expect(openDescriptors(of: devices.path("b")) == 0)
      #expect(codes.withLock { $0 }.allSatisfy { $0 == .closed })
    }
  }
}
