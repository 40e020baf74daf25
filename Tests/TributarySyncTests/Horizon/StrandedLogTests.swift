import Foundation
import Testing
import TributaryCore
import TributaryHorizon
import TributarySync
import TributaryTesting

/// What was written above a horizon that no baseline declares any more (rule 25 of `docs/space-files.md`).
struct StrandedLogTests {
  /// Devices `a` and `b`, to which the carrier brings what `late` wrote above their first horizon only when
  /// they obey the second one.
  private func withLateSegment(_ body: (HorizonFleet) throws -> Void) throws {
    try withTemporaryDirectory { path in
      let fleet = try HorizonFleet(in: path, "a", "b")
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.meet()
      fleet.pass(days: 1)
      try fleet.meet(rounds: 4)
      let first = try #require(try fleet.record("a").settled)
      try fleet.write("INSERT INTO t VALUES (2, 'a')", on: "a")
      try fleet.write("INSERT INTO t VALUES (3, 'b')", on: "b")
      try fleet.meet()
      try fleet.attach("late")
      try fleet.write("INSERT INTO t VALUES (4, 'late')", on: "late")
      _ = try fleet["late"].synchronize()
      let (directory, aside) = (try fleet.directory.peer(fleet.peer("late")), path + "/aside")
      try FileManager.default.moveItem(atPath: directory, toPath: aside)
      fleet.pass(days: 1)
      try fleet.meet("a", "b", rounds: 5)
      let baselines = try fleet.baselines("a") + fleet.baselines("b")
      #expect(!baselines.isEmpty && !baselines.contains(first))
      try FileManager.default.moveItem(atPath: aside, toPath: directory)
      try fleet.meet("a", "b", rounds: 1)
      try fleet.attach("new")
      let report = try fleet["new"].synchronize()
      #expect(report.waiting.map(\.reason) == [.baseline(first.identifier)])
      try body(fleet)
    }
  }

  /// Has each synchronise in turn; some may still wait.
  private func synchronize(_ names: [String], _ fleet: HorizonFleet) throws {
    for _ in 0..<2 {
      for name in names {
        fleet.clock.advance(by: 1)
        _ = try fleet[name].synchronize()
      }
    }
  }

  @Test func `a new device gets what a lost one wrote, by a baseline`() throws {
    try withLateSegment { fleet in
      let present = ["a", "b", "new"]
      let before = present.map(fleet.peer)
      fleet.drop("late")
      try fleet.write("UPDATE t SET v = 'new' WHERE id = 1", on: "new")
      try fleet.write("UPDATE t SET v = 'knows late' WHERE id = 2", on: "a")
      for _ in 0..<4 {
        fleet.pass(days: 1)
        try synchronize(present, fleet)
      }
      for name in present {
        #expect(try fleet[name].synchronize().waiting == [])
        #expect(try fleet.rows(name) == ["1|new", "2|knows late", "3|b", "4|late"])
        #expect(try fleet[name].conflicts() == [])
      }
      // Both had it, so they agree together, and neither has to come back.
      #expect(Array(present.map(fleet.peer).prefix(2)) == Array(before.prefix(2)))
      let members = try #require(try fleet.record("a").state.obeyed).members
      #expect(Set(members).isSuperset(of: before.prefix(2)))
    }
  }

  @Test func `an author that is there within a day writes it again, and nobody is left out`() throws
  {
    try withLateSegment { fleet in
      let before = fleet.peer("late")
      for _ in 0..<2 { try synchronize(["a", "b", "late", "new"], fleet) }
      #expect(try fleet["new"].synchronize().waiting == [])
      for _ in 0..<3 {
        fleet.pass(days: 1)
        try fleet.meet()
      }
      #expect(fleet.peer("late") == before)
      for name in ["a", "b", "late", "new"] {
        #expect(try fleet.rows(name) == ["1|a", "2|a", "3|b", "4|late"])
      }
    }
  }
}
