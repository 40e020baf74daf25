import Foundation
import Synchronization
import Testing
import Tributary
import TributarySimulation
import TributaryTesting

/// Reading and writing in asynchronous code, and what a store does as a whole.
struct AsyncAccessTests {
  private static let table = "CREATE TABLE t (k INTEGER PRIMARY KEY, v)"
  /// Endless, unless it is interrupted.
  private static let endless =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

  private func withStore(_ body: (Devices, Store) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let store = try await devices.open("a", schema: [Migration(name: "1", sql: Self.table)])
      defer { store.close() }
      try await body(devices, store)
    }
  }

  @Test func `asynchronous code reads and writes`() async throws {
    try await withStore { devices, store in
      let version = try await store.async.read { try $0.version }
      try await store.async.write { try $0.execute("INSERT INTO t VALUES (1, 2)") }
      try await store.async.write(basedOn: version) {
        try $0.execute("INSERT INTO t VALUES (2, 3)")
      }
      #expect(
        try await store.async.read { try $0.query("SELECT v FROM t ORDER BY k").map(\.values) }
          == [[2], [3]])
    }
  }

  @Test func `a cancelled task interrupts its statement, and nothing is written`() async throws {
    try await withStore { devices, store in
      let (started, start) = AsyncStream<Void>.makeStream()
      let write = Task {
        try await store.async.write { db in
          try db.execute("INSERT INTO t VALUES (1, 2)")
          start.yield()
          _ = try db.query(Self.endless)
        }
      }
      for await _ in started { break }
      write.cancel()
      await #expect(throws: CancellationError.self) { try await write.value }
      let early = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await store.async.write { try $0.execute("INSERT INTO t VALUES (2, 2)") }
      }
      await #expect(throws: CancellationError.self) { try await early.value }
      // The connections go on as before.
      try await store.async.write { try $0.execute("INSERT INTO t VALUES (3, 3)") }
      #expect(try store.read { try $0.query("SELECT k FROM t").map(\.values) } == [[3]])
    }
  }

  /// Runs something in a task until it has begun, cancels it, and demands that it says so.
  private func expectCancelled<Result: Sendable>(
    _ body: @escaping @Sendable (_ began: @escaping @Sendable () -> Void) async throws -> Result
  ) async {
    let (started, start) = AsyncStream<Void>.makeStream()
    let task = Task { try await body { start.yield() } }
    for await _ in started { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test func `a body of many short statements ends when its task is cancelled`() async throws {
    try await withStore { _, store in
      try store.execute("INSERT INTO t VALUES (0, 0)")
      await expectCancelled { began in
        try await store.async.write { db in
          for number in 1... {
            try db.execute("INSERT INTO t VALUES (?, 1)", number)
            began()
          }
        }
      }
      await expectCancelled { began in
        try await store.async.write(basedOn: try store.read { try $0.version }) { db in
          let statement = try db.prepare("UPDATE t SET v = v + 1")
          while true {
            try statement.run()
            began()
          }
        }
      }
      await expectCancelled { began in
        try await store.async.read { db in
          while true {
            _ = try db.query("SELECT 1")
            began()
          }
        }
      }
      let reader = try StoreReader(at: store.path)
      defer { reader.close() }
      await expectCancelled { began in
        try await reader.async.read { db in
          while true {
            _ = try db.query("SELECT 1")
            began()
          }
        }
      }
      // A body that hides the errors, and its savepoints.
      await expectCancelled { began in
        try await store.async.write { db in
          for number in 1... {
            do {
              try db.savepoint { try db.execute("INSERT INTO t VALUES (?, 1)", number) }
              began()
            } catch { return }
          }
        }
      }
      #expect(try store.rows("SELECT * FROM t") == ["0|0"])
      try await store.async.write { try $0.execute("INSERT INTO t VALUES (3, 3)") }
      #expect(try store.rows("SELECT * FROM t") == ["0|0", "3|3"])
    }
  }

  @Test func `a cancelled write does not wait for the writer before it`() async throws {
    try await withStore { _, store in
      let (held, hold) = AsyncStream<Void>.makeStream()
      let released = DispatchSemaphore(value: 0)
      let first = Task {
        try await store.async.write { db in
          try db.execute("INSERT INTO t VALUES (1, 1)")
          hold.yield()
          released.wait()
        }
      }
      for await _ in held { break }
      for _ in 0..<20 {
        await expectCancelled { began in
          began()
          try await store.async.write { try $0.execute("INSERT INTO t VALUES (2, 2)") }
        }
      }
      released.signal()
      try await first.value
      #expect(try store.rows("SELECT * FROM t") == ["1|1"])
    }
  }

  /// How many are at work, and were at most.
  private final class Active: Sendable {
    let counts = Mutex((now: 0, most: 0))

    func enter() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
    func leave() { counts.withLock { $0.now -= 1 } }
  }

  @Test func `many reads take turns, and one that waits for its turn can be cancelled`()
    async throws
  {
    try await withStore { _, store in
      try store.execute("INSERT INTO t VALUES (1, 2)")
      let (began, begin) = AsyncStream<Void>.makeStream()
      let active = Active()
      let released = DispatchSemaphore(value: 0)
      let reads = (0..<300).map { _ in
        Task {
          try await store.async.read { db in
            active.enter()
            defer { active.leave() }
            begin.yield()
            released.wait()
            return try db.query(Int.self, "SELECT v FROM t")
          }
        }
      }
      var count = 0
      for await _ in began {
        count += 1
        if count == 64 { break }
      }
      // All have their turn now that may, and this one does not wait for them.
      let late = Task { try await store.async.read { try $0.query("SELECT 1") } }
      late.cancel()
      await #expect(throws: CancellationError.self) { _ = try await late.value }
      for _ in reads { released.signal() }
      for read in reads { #expect(try await read.value == [2]) }
      #expect(active.counts.withLock { $0.now } == 0 && active.counts.withLock { $0.most } == 64)
      // Turns that were given up, and those of bodies that throw, are there for others.
      for _ in 0..<100 {
        await #expect(throws: SQLiteError.self) { try await store.async.read { try $0.query("x") } }
      }
    }
  }

  @Test func `many writes take turns, and each is committed`() async throws {
    try await withStore { _, store in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<300 {
          group.addTask {
            // On a busy machine the last ones may wait in vain.
            try await Contention.outwaitAsynchronously {
              try await store.async.write { try $0.execute("INSERT INTO t VALUES (?, 0)", number) }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try store.rows("SELECT count(*) FROM t") == ["300"])
    }
  }

  @Test func `what takes long is there for asynchronous code, too`() async throws {
    try await withStore { devices, store in
      try store.execute("INSERT INTO t VALUES (1, 2)")
      try await store.synchronize()
      #expect(try await store.async.digest() == store.digest())
      #expect(try await store.async.diagnose().filter { $0.severity != .note } == [])
      #expect(try await store.async.verify().differenceCount == 0)
      await expectCancelled { began in
        withUnsafeCurrentTask { $0?.cancel() }
        began()
        return try await store.async.verify()
      }
      #expect(try await store.async.writeBaseline().rows == 1)
      try await store.async.backup(to: devices.path("backup"))
      #expect(try Data(contentsOf: URL(filePath: devices.path("backup"))).count > 0)
      let again = try await devices.open("a", schema: [])
      await again.async.close()
      #expect(throws: StoreError.self) { try again.digest() }
      try await store.async.detach()
      #expect(throws: StoreError.self) { try StoreReader(at: store.path) }
    }
  }

  @Test func `a backup is a database with the same rows, and never replaces a file`() async throws {
    try await withStore { devices, store in
      try store.write { try $0.execute("INSERT INTO t VALUES (1, 'a')") }
      let path = store.path + "-backup"
      try store.backup(to: path)
      let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
      #expect(size > 0 && !FileManager.default.fileExists(atPath: path + "-wal"))
      let error = #expect(throws: StoreError.self) { try store.backup(to: path) }
      #expect(error?.code == .path && error?.path == path)
      #expect(throws: SQLiteError.self) { try store.backup(to: store.path + "/no/such") }
      let digest = try store.digest()
      try store.write { try $0.execute("DELETE FROM t") }
      try FileManager.default.moveItem(atPath: path, toPath: devices.path("b"))
      let copy = try await devices.open("b", schema: [])
      defer { copy.close() }
      #expect(try copy.digest() == digest)
    }
  }

  @Test func `a store verifies and rebuilds itself, and detaches`() async throws {
    try await withStore { devices, store in
      try store.write { try $0.execute("INSERT INTO t VALUES (1, 'a')") }
      try await store.synchronize()
      #expect(try store.verify().differenceCount == 0)
      let (digest, path) = (try store.digest(), store.path)
      await #expect(throws: (any Error).self) { try await Store.rebuild(at: path) }
      store.close()
      #expect(try await Store.rebuild(at: path).transactions == 1)
      let again = try await devices.open("a", schema: [])
      #expect(try again.digest() == digest)
      try again.detach()
      #expect(throws: StoreError.self) { try again.digest() }
    }
  }

  @Test func `what Foundation says of an error is what its description says`() async throws {
    try await withStore { _, store in
      let errors: [any Error] = [
        try #require(throws: (any Error).self) { try store.read { try $0.query("SELEC 1") } },
        try #require(throws: (any Error).self) { try store.backup(to: store.path) },
        try #require(throws: (any Error).self) { try Container(at: store.path + "/none") },
      ]
      for error in errors { #expect(error.localizedDescription == "\(error)") }
      #expect((errors[1] as? any LocalizedError)?.recoverySuggestion?.isEmpty == false)
    }
  }
}
