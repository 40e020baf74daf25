import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// What goes, and what stays, of a store that was restored and has issued again what it had written since.
struct RestoredRemovalTests {
  /// Three devices, of which `a` was restored from a backup, has taken another identity, and has issued again there what
  /// it had written since.
  private func withRestoredStore(
    _ body: (HorizonFleet, _ former: PeerIdentity) throws -> Void
  ) throws {
    try withHorizonFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (101, 'before')", on: "a")
      try fleet.meet()
      let backup = try StoreBackup(of: fleet["a"])
      try fleet.write("INSERT INTO t VALUES (102, 'lost with the store')", on: "a")
      try fleet.meet()
      let former = fleet.peer("a")
      try fleet.restore("a", from: backup)
      try fleet.write("INSERT INTO t VALUES (103, 'since')", on: "a")
      try fleet.meet(rounds: 3)
      #expect(fleet.peer("a") != former)
      try body(fleet, former)
    }
  }

  @Test func `its records go, and it still states what it has issued again`() throws {
    try withRestoredStore { (fleet, former) throws in
      let stated = try #require(try fleet.manifest("a").former[former])
      #expect(stated.last < stated.reissued)
      #expect(stated.time != nil)
      try fleet.settle(rounds: 4)
      for name in ["a", "b", "c"] {
        #expect(try fleet.records(name).count == 1, "\(name)")
      }
      #expect(try fleet.segments("a").count == 1)
      try fleet.write("INSERT INTO t VALUES (104, 'later')", on: "a")
      try fleet.meet()
      #expect(try fleet.manifest("a").former[former] == stated)
      try fleet.expectEqual()
    }
  }

  @Test func `what it had written before it is restored once more is not lost, and it states both`()
    throws
  {
    try withRestoredStore { (fleet, former) throws in
      try fleet.settle(rounds: 4)
      let backup = try StoreBackup(of: fleet["a"])
      let second = fleet.peer("a")
      try fleet.write("INSERT INTO t VALUES (105, 'lost again')", on: "a")
      try fleet.meet()
      try fleet.restore("a", from: backup)
      try fleet.write("INSERT INTO t VALUES (106, 'since then')", on: "a")
      try fleet.meet(rounds: 3)
      #expect(![former, second].contains(fleet.peer("a")))
      #expect(try fleet.manifest("a").former.keys.contains(second))
      fleet.pass(days: 1)
      try fleet.meet(rounds: 6)
      try fleet.expectEqual()
      #expect(
        try fleet["b"].rows("SELECT id FROM t WHERE id > 100 ORDER BY id")
          == ["101", "102", "103", "105", "106"])
    }
  }

  /// Both had written under the same numbers. The records and segments that could tell them apart are gone.
  @Test func `what the original writes still arrives at a copy that has left its identity`() throws
  {
    try withHorizonFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (101, 'common')", on: "a")
      try fleet.meet()
      let (backup, former) = (try StoreBackup(of: fleet["a"]), fleet.peer("a"))
      try backup.restore(to: fleet.devices.path("d")).store.close()
      try fleet.open("d")
      for id in 200..<230 {
        try fleet.write("INSERT INTO t VALUES (\(id), 'of the copy')", on: "d")
      }
      try fleet.write("INSERT INTO t VALUES (102, 'of the original')", on: "a")
      try fleet["a"].exchange()
      try fleet.meet(rounds: 3)
      #expect(fleet.peer("d") != former && fleet.peer("a") == former)
      // The newest segment of a device stays.
      try fleet.write("INSERT INTO t VALUES (230, 'of the copy')", on: "d")
      for _ in 0..<2 {
        try fleet.settle(rounds: 4)
        try fleet.write("DELETE FROM t WHERE id < 100", on: "a")
        try fleet.meet(rounds: 5)
        try fleet.expectEqual()
      }
      #expect(try fleet.records("d") == [31])
      #expect(try fleet.record("a").settled?.horizon[fleet.peer("d")] == SequenceNumber(31))
      try fleet.write("UPDATE t SET v = 'last' WHERE id = 101", on: "a")
      let reports = try ["a", "b", "c", "d"].map { try fleet[$0].synchronize() }
      #expect(reports.allSatisfy { $0.waiting.isEmpty && $0.delays.isEmpty })
      try fleet.expectEqual()
      #expect(try fleet["d"].rows("SELECT v FROM t WHERE id = 101") == ["last"])
    }
  }
}
