import Foundation
import Synchronization
import Testing
import Tributary
import TributaryTesting

import struct TributaryStore.ConflictTable
import class TributaryStore.LocalStore
import struct TributaryStore.Outbox
import struct TributaryStore.ReplicatedSchema
import struct TributaryStore.Settings

/// Conflicts as an application meets them; they are put into the bookkeeping by hand.
struct ConflictTests {
  private static func conflict(_ id: String = "00000000000000aa", key: Int64 = 1) -> Conflict {
    let side = Conflict.Side(
      peer: PeerIdentity(high: 1, low: 2), sequence: SequenceNumber(3),
      time: HybridTime(milliseconds: 4, counter: 5))
    return Conflict(
      id: id, table: "album", key: [.integer(key)], kind: .update, isHeld: false,
      values: [Conflict.Cell(column: "title", value: "lost")], winner: side, loser: side)
  }

  /// Puts a conflict into a store, which then has looked at all its own writes.
  private func put(_ conflict: Conflict, into local: LocalStore) throws {
    try local.service { connection in
      let table = try ReplicatedSchema(connection, selection: .all).table(named: conflict.table)
      let row = try #require(table).identity(key: conflict.key, number: 0).key
      try ConflictTable(connection).put(conflict, row: row)
      let last = try Outbox(connection).last()?.sequence ?? .zero
      try Settings(connection).set(.examined, .integer(Int64(last.rawValue)))
    }
  }

  private func withStore(_ body: (Store, LocalStore) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let store = try await devices.open("a")
      defer { store.close() }
      try store.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try await body(
        store, LocalStore(path: devices.path("a"), milliseconds: AdjustableClock().read))
    }
  }

  @Test func `a store lists its conflicts, and those that have ended when asked`() async throws {
    try await withStore { store, local in
      #expect(try store.conflicts() == [])
      let first = Self.conflict("00000000000000bb", key: 1)
      let second = Self.conflict("00000000000000aa", key: 2)
      for conflict in [second, first] { try put(conflict, into: local) }
      #expect(try store.conflicts() == [first, second])
      #expect(try store.status().conflicts == 2)
      #expect(try store.resolve(first, .keep))
      #expect(try !store.resolve(first.id, .restore))
      #expect(try store.conflicts() == [second])
      #expect(try store.conflicts(ended: true).map(\.id) == [first.id, second.id])
      #expect(try store.conflicts(ended: true)[0].ended != nil)
      #expect(try store.synchronizeNow().conflicts == 1)
    }
  }

  @Test func `resolving writes an ordinary transaction`() async throws {
    try await withStore { store, local in
      func put() throws { try self.put(Self.conflict(), into: local) }
      func last() throws -> SequenceNumber? {
        try local.service { try Outbox($0).last() }?.sequence
      }
      try put()
      #expect(try store.resolve(Self.conflict(), .restore))
      #expect(try store.rows("SELECT title FROM album") == ["lost"])
      #expect(try last() == SequenceNumber(2))
      try put()
      let title = try store.resolve(Self.conflict()) { db in
        try db.execute("UPDATE album SET title = title || ' and found', rating = 5")
        return try db.query("SELECT title FROM album")[0].string("title")
      }
      #expect(title == "lost and found")
      #expect(try store.rows("SELECT title, rating FROM album") == ["lost and found|5"])
      #expect(try last() == SequenceNumber(3))
      #expect(try store.conflicts() == [])
      #expect(throws: SyncError.self) { try store.resolve("unknown", .keep) }
    }
  }

  @Test func `new conflicts are told on each device, whoever made them`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b")
      let told = [a.newConflicts, b.newConflicts]
      let imports = b.imports
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try exchange(a, b)
      try a.execute("UPDATE album SET title = 'A'")
      try b.execute("UPDATE album SET title = 'B'")
      try exchange(a, b)
      let conflicts = try a.conflicts()
      #expect(conflicts.count == 1)
      #expect(try b.conflicts() == conflicts)
      // A write that is based on what it saw before.
      let version = try b.read { try $0.version }
      try b.execute("UPDATE album SET rating = 1")
      try b.write(basedOn: version) { try $0.execute("UPDATE album SET rating = 2") }
      let stale = try b.conflicts().filter { !conflicts.contains($0) }
      #expect(stale.map { $0.values.map(\.column) } == [["rating"]])
      #expect(stale.map { $0.values.map(\.value) } == [[1]])
      #expect(stale.map { $0.values.map(\.winner) } == [[stale.first?.winner]])
      try exchange(b, a)
      for store in [a, b] { store.close() }
      for sequence in told {
        var all: [[Conflict]] = []
        for await some in sequence { all.append(some) }
        #expect(all == [conflicts, stale])
      }
      var carried: [[Conflict]] = []
      for await change in imports { carried.append(change.conflicts) }
      #expect(carried == [[], conflicts])
    }
  }

  @Test func `the sequence of new conflicts ends with the store`() async throws {
    try await withStore { store, _ in
      let conflicts = store.newConflicts
      store.close()
      for await _ in conflicts { Issue.record("there are none") }
    }
  }

  @Test func `the notification carries the new conflicts`() {
    var imported = SyncReport.Imported()
    imported.conflicts = [Self.conflict()]
    let carried = ImportChange(imported).userInfo[ImportNotificationKey.conflicts]
    #expect(carried as? [Conflict] == [Self.conflict()])
  }
}
