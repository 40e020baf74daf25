import Foundation
import Synchronization
import Testing
import Tributary
import TributaryTesting

import struct TributaryStore.ConflictTable
import class TributaryStore.LocalStore
import struct TributaryStore.Outbox

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
      try local.service { connection in
        for conflict in [second, first] { try ConflictTable(connection).put(conflict) }
      }
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
      func put() throws { try local.service { try ConflictTable($0).put(Self.conflict()) } }
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

  @Test func `new conflicts are told after each import that brings some`() async throws {
    let (stream, continuation) = AsyncStream<ImportChange>.makeStream()
    let first = [Self.conflict("1"), Self.conflict("2")]
    for conflicts in [[], first, [], [Self.conflict("3")]] {
      var imported = SyncReport.Imported()
      imported.conflicts = conflicts
      continuation.yield(ImportChange(imported))
    }
    continuation.finish()
    var told: [[Conflict]] = []
    for await conflicts in ConflictSequence(stream) { told.append(conflicts) }
    #expect(told == [first, [Self.conflict("3")]])
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
