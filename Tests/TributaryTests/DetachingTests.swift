import Foundation
import Testing
import Tributary
import TributaryTesting

/// A store that becomes an ordinary database again.
struct DetachingTests {
  private func withStore(_ body: (Devices, Store) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let store = try await devices.open("a")
      try store.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      defer { store.close() }
      try await body(devices, store)
    }
  }

  @Test func `a store that cannot publish goes on, and is detached only by demand`() async throws {
    try await withStore { devices, store in
      try FileManager.default.moveItem(
        atPath: devices.container.path, toPath: devices.container.path + "-away")
      let error = #expect(throws: SyncError.self) { try store.detach() }
      #expect(error?.code == .unpublished && error?.path == store.path)
      #expect(
        error?.remedy
          == "call `store.synchronize()` until it succeeds, then detach again; with "
          + "`leavingUnpublished: true` it is detached anyway, and counts as an ordinary database when it is "
          + "attached again")
      try store.execute("INSERT INTO album VALUES (2, 'Hejira', NULL)")
      #expect(try store.status().unpublished == 2)
      try store.detach(leavingUnpublished: true)
      let closed = #expect(throws: StoreError.self) { try store.detach() }
      #expect(closed?.code == .closed)
      let gone = #expect(throws: StoreError.self) { try StoreReader(at: store.path) }
      #expect(gone?.code == .notAttached)
    }
  }

  @Test func `a write cannot detach its own store, which goes on`() async throws {
    try await withStore { _, store in
      try store.write { db in
        try db.execute("INSERT INTO album VALUES (2, 'Hejira', NULL)")
        let error = #expect(throws: StoreError.self) { try store.detach() }
        #expect(error?.code == .misuse)
      }
      #expect(try store.rows("SELECT id FROM album") == ["1", "2"])
      try store.detach()
    }
  }

  @Test func `what is published as a store is detached is told to those who listen`() async throws {
    try await withStore { devices, store in
      let other = try await devices.open("b")
      try other.execute("INSERT INTO album VALUES (7, 'Hejira', NULL)")
      try other.synchronizeNow()
      let imports = store.imports
      try store.detach()
      var tables: [[String]] = []
      for await change in imports { tables.append(change.tables.keys.map(\.text)) }
      #expect(tables == [["album"]])
      try other.synchronizeNow()
      #expect(try other.rows("SELECT id FROM album ORDER BY id") == ["1", "7"])
      other.close()
    }
  }
}
