import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Damaged bookkeeping of stores that have forgotten, and what finds it out and repairs it.
struct ForgottenBookkeepingTests {
  /// Lends three devices that have forgotten and removed all but their last transactions. The damage is done to `a`,
  /// which is closed.
  private func withForgetful(
    damage sql: String, _ body: (HorizonFleet) throws -> Void
  ) throws {
    try withHorizonFleet { fleet in
      try fleet.settle(rounds: 3)
      #expect(try fleet.segments("a") == ["4-4"])
      #expect(try fleet.records("a") == [4])
      fleet["a"].store.close()
      let connection = try Connection(path: fleet.devices.path("a"), mode: .readWrite)
      try connection.execute(sql)
      connection.close()
      try body(fleet)
    }
  }

  private func damages(_ fleet: HorizonFleet) throws -> [String] {
    try Engine.diagnose(store: fleet.devices.path("a"), environment: fleet.environment)
      .filter { $0.severity == .damage }.map(\.code.rawValue)
  }

  private static let deletions = [
    "DELETE FROM tributary_knowledge", "DELETE FROM tributary_peer",
    "DELETE FROM tributary_knowledge; DELETE FROM tributary_peer",
    """
    DELETE FROM tributary_knowledge WHERE peer = 1; DELETE FROM tributary_peer WHERE id = 1
    """,
    "UPDATE tributary_peer SET sequence = 1; UPDATE tributary_knowledge SET sequence = 1",
    "UPDATE tributary_knowledge SET sequence = 50",
    "UPDATE tributary_segment SET name = 'x'", "UPDATE tributary_segment SET last = 9",
    "DELETE FROM tributary_store WHERE key = 'removed'",
    "UPDATE tributary_store SET value = 'x' WHERE key = 'removed'",
    "UPDATE tributary_store SET value = 1 WHERE key = 'removed'",
    "UPDATE tributary_store SET value = 99 WHERE key = 'removed'",
  ]

  @Test(arguments: deletions)
  func `damage after forgetting is found out and repaired`(sql: String) throws {
    try withForgetful(damage: sql) { fleet in
      let found = try Set(damages(fleet))
      #expect(found.contains("bookkeeping") || found.contains("outbox"))
      let identity = fleet.peer("a")
      _ = try Engine.rebuild(store: fleet.devices.path("a"), environment: fleet.environment)
      #expect(try self.damages(fleet) == [])
      try fleet.open("a")
      try fleet.meet()
      #expect(fleet.peer("a") == identity)
      try fleet.expectEqual()
      #expect(try fleet.records("a") == [4])
      // It goes on as before, and forgets again.
      for name in ["a", "b", "c"] {
        try fleet.write("UPDATE t SET v = '\(name)' WHERE id = 1", on: name)
      }
      try fleet.meet()
      fleet.pass(days: 1)
      try fleet.meet(rounds: 5)
      try fleet.expectEqual()
      #expect(try fleet.record("a").settled?.horizon[identity] == SequenceNumber(5))
    }
  }

  @Test(arguments: [
    "DELETE FROM tributary_store WHERE key = 'horizon'",
    "UPDATE tributary_store SET value = 'settled 00' WHERE key = 'horizon'",
  ])
  func `a store that no longer says what it has forgotten is refused by name`(sql: String) throws {
    try withForgetful(damage: sql) { fleet in
      let found = try damages(fleet)
      #expect(found.contains("bookkeeping"))
      let path = fleet.devices.path("a")
      let error = #expect(throws: StoreError.self) {
        _ = try Engine.rebuild(store: path, environment: fleet.environment)
      }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains("promised") == true)
    }
  }
}
