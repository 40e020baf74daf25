import Foundation
import Synchronization
import Testing
import Tributary
import TributaryFiles
import TributarySQLite
import TributaryTesting

struct ClosingTests {
  /// A store with some of everything in use before.
  private func withStore(
    automatically: Bool, _ body: (Store, String) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let store = try await devices.open("a", automatically: automatically)
      try store.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      #expect(try store.rows("SELECT title FROM album") == ["Blue"])
      try store.synchronizeNow()
      #expect(openDescriptors(of: devices.path("a")) > 0)
      try await body(store, devices.path("a"))
    }
  }

  /// Everything that a closed store is asked for is refused in the same way.
  private func checkClosed(_ store: Store) async throws {
    let calls: [() throws -> Void] = [
      { try store.write { _ in } }, { try store.read { _ in } },
      { try store.execute("DELETE FROM album") }, { _ = try store.digest() },
      { _ = try store.status() }, { _ = try store.conflicts() }, { _ = try store.diagnose() },
      { _ = try store.synchronizeNow() }, { _ = try store.resolve("0", .keep) },
      { _ = try store.verify() },
      { _ = try store.peers() }, { try store.backup(to: store.path + ".copy") },
    ]
    for call in calls {
      let error = #expect(throws: StoreError.self) { try call() }
      #expect(error?.code == .closed)
      #expect(error?.path == store.path)
    }
    let error = await #expect(throws: StoreError.self) { _ = try await store.synchronize() }
    #expect(error?.code == .closed)
    for await _ in store.imports { Issue.record("a closed store imports nothing") }
    for await _ in store.reports { Issue.record("a closed store reports nothing") }
    for await _ in store.newConflicts { Issue.record("a closed store finds no conflict") }
  }

  @Test(arguments: [false, true])
  func `closing closes: later calls are refused, sequences end and no file stays open`(
    automatically: Bool
  ) async throws {
    try await withStore(automatically: automatically) { store, path in
      let (imports, reports) = (store.imports, store.reports)
      let conflicts = store.newConflicts
      store.close()
      store.close()
      #expect(openDescriptors(of: path) == 0)
      for await _ in imports {}
      for await _ in reports {}
      for await _ in conflicts {}
      try await checkClosed(store)
      #expect(openDescriptors(of: path) == 0)
    }
  }

  @Test(arguments: [false, true])
  func `closed from a read or a write, that one goes on to its end and is committed`(
    automatically: Bool
  ) async throws {
    try await withStore(automatically: automatically) { store, path in
      try store.read { db in
        store.close()
        let rows = try db.query("SELECT title FROM album")
        #expect(rows.count == 1)
        #expect(openDescriptors(of: path) > 0)
      }
      #expect(openDescriptors(of: path) == 0)
      try await checkClosed(store)
    }
    try await withStore(automatically: automatically) { store, path in
      try store.write { db in
        store.close()
        try db.execute("INSERT INTO album VALUES (2, 'Hejira', NULL)")
        #expect(throws: StoreError.self) { try store.read { _ in } }
        #expect(throws: StoreError.self) { try store.write { _ in } }
      }
      // From here it waits for the store's thread.
      store.close()
      #expect(openDescriptors(of: path) == 0)
      try await checkClosed(store)
      let connection = try Connection(path: path, mode: .readOnly)
      #expect(try connection.integer("SELECT count(*) FROM album") == 2)
    }
  }

  @Test
  func `threads that wait for a write are refused when the store is closed`() async throws {
    try await withStore(automatically: false) { store, path in
      let codes = Mutex<[StoreError.Code]>([])
      let threads = try store.write { db in
        let threads = try (0..<3).map { number in
          try WorkerThread(name: "writer") {
            do { try store.write { _ in } } catch {
              codes.withLock { $0.append((error as? StoreError)?.code ?? .damaged) }
            }
          }
        }
        store.close()
        try db.execute("INSERT INTO album VALUES (2, 'Hejira', NULL)")
        return threads
      }
      for thread in threads { thread.join() }
      #expect(codes.withLock { $0 } == [.closed, .closed, .closed])
      #expect(openDescriptors(of: path) == 0)
    }
  }

  @Test(arguments: [false, true])
  func `a handler may call anything of the store, and close it`(
    automatically: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b", automatically: automatically)
      let path = devices.path("b")
      let failures = Mutex<[String]>([])
      let isDone = DispatchSemaphore(value: 0)
      let imports = b.imports
      let observer = NotificationCenter.default.addObserver(
        forName: .didImportUbiquitousContentChanges, object: b, queue: nil
      ) { notification in
        guard let store = notification.object as? Store else { return }
        do {
          try store.execute("UPDATE album SET rating = 5")
          _ = try store.read { try $0.query("SELECT * FROM album") }
          _ = try store.synchronizeNow()
          _ = try store.status()
          _ = try store.conflicts()
          _ = try store.digest()
          _ = try store.diagnose()
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
        store.close()
        isDone.signal()
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try a.synchronizeNow()
      // The handler closes the store in the middle of it.
      if !automatically { _ = try? b.synchronizeNow() }
      for await _ in imports {}
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          isDone.wait()
          continuation.resume()
        }
      }
      #expect(failures.withLock { $0 } == [])
      b.close()
      #expect(openDescriptors(of: path) == 0)
      try await checkClosed(b)
    }
  }

  @Test
  func `a store is closed while a handler waits for the thread that closes it`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b", automatically: true)
      let entered = DispatchSemaphore(value: 0)
      let closed = DispatchSemaphore(value: 0)
      let left = DispatchSemaphore(value: 0)
      // As one on the main queue does while the main thread is in `close`.
      let observer = NotificationCenter.default.addObserver(
        forName: .didImportUbiquitousContentChanges, object: b, queue: nil
      ) { _ in
        entered.signal()
        closed.wait()
        left.signal()
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try a.synchronizeNow()
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          entered.wait()
          b.close()
          closed.signal()
          left.wait()
          continuation.resume()
        }
      }
      #expect(openDescriptors(of: devices.path("b")) == 0)
    }
  }

  @Test
  func `the loop over imports may close the store, and ends`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b", automatically: true)
      let imports = b.imports
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try a.synchronizeNow()
      var count = 0
      for await _ in imports {
        count += 1
        try b.execute("UPDATE album SET rating = 5")
        b.close()
      }
      #expect(count == 1)
      #expect(openDescriptors(of: devices.path("b")) == 0)
    }
  }

  @Test
  func `a store that is let go without being closed leaves no file open`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      var store: Store? = try await devices.open("a")
      try store?.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      let imports = store?.imports
      store = nil
      #expect(openDescriptors(of: devices.path("a")) == 0)
      if let imports { for await _ in imports {} }
    }
  }

  @Test
  func `a synchronisation inside a write is refused at once`() async throws {
    try await withStore(automatically: false) { store, _ in
      try store.write { db in
        let calls: [() throws -> Void] = [
          { _ = try store.synchronizeNow() }, { _ = try store.conflicts() },
          { _ = try store.resolve("0", .keep) }, { try store.write { _ in } },
        ]
        for call in calls {
          let error = #expect(throws: StoreError.self) { try call() }
          #expect(error?.code == .misuse)
        }
        // What only reads sees the store as it was before.
        #expect(try store.rows("SELECT count(*) FROM album") == ["1"])
        _ = try store.status()
        _ = try store.digest()
        try db.execute("INSERT INTO album VALUES (2, 'Hejira', NULL)")
      }
      #expect(try store.rows("SELECT count(*) FROM album") == ["2"])
    }
  }
}
