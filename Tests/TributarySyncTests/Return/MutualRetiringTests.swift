import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Two sides that have retired each other, and agreed each for itself.
struct MutualRetiringTests {
  /// One device on one side, two on the other, which is heavier. Neither sees the files of the other until both have
  /// declared.
  private func withSides(
    alone: String, others: String, _ body: (HorizonFleet) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b", "c")
      for id in 1...3 { try fleet.write("INSERT INTO t VALUES (\(id), 'old')", on: "a") }
      try fleet.meet()
      for name in ["b", "c"] { _ = try fleet["a"].retire(name) }
      let path = try fleet.directory.peer(fleet.peer("a"))
      let aside = directory + "/aside"
      // The others retire it before they hear of anything.
      for name in ["b", "c"] { _ = try fleet[name].retire("a") }
      let hidden = try ["b", "c"].map { try fleet.directory.peer(fleet.peer($0)) }
      for (number, path) in hidden.enumerated() {
        try FileManager.default.moveItem(atPath: path, toPath: aside + "\(number)")
      }
      try fleet.write(alone, on: "a")
      try fleet.meet("a")
      _ = try fleet["a"].writeBaseline()
      #expect(try fleet.record("a").settled != nil)
      for (number, path) in hidden.enumerated() {
        try FileManager.default.moveItem(atPath: aside + "\(number)", toPath: path)
      }
      try FileManager.default.moveItem(atPath: path, toPath: aside)
      try fleet.write(others, on: "b")
      try fleet.meet("b", "c")
      for _ in 0..<2 { for name in ["b", "c"] { _ = try fleet[name].writeBaseline() } }
      #expect(try fleet.record("b").settled != nil)
      try FileManager.default.moveItem(atPath: aside, toPath: path)
      try fleet.meet(rounds: 4)
      try body(fleet)
    }
  }

  @Test func `a row that the lighter side has inserted is there, in no conflict`() throws {
    try withSides(
      alone: "INSERT INTO t VALUES (50, 'mine')", others: "INSERT INTO t VALUES (60, 'theirs')"
    ) { fleet in
      for name in ["a", "b", "c"] {
        #expect(try fleet.rows(name).map { $0.split(separator: "|").last }.contains("mine"))
        #expect(try fleet.rows(name).count == 5)
        #expect(try fleet[name].conflicts().isEmpty)
      }
      try fleet.expectEqual()
    }
  }

  @Test func `what the lighter side had retired counts again, and is found by its name`() throws {
    try withSides(
      alone: "INSERT INTO t VALUES (50, 'mine')", others: "INSERT INTO t VALUES (60, 'theirs')"
    ) { fleet in
      for name in ["a", "b", "c"] {
        let peers = try fleet[name].peers()
        let active = peers.filter { $0.state == .active }.map(\.name).sorted()
        #expect(active == ["a", "b", "c"])
        #expect(peers.filter { $0.state == .retired }.map(\.name) == ["a"])
      }
      // Nobody waits for what was issued again.
      fleet.clock.advance(by: 3_600_000)
      for name in ["b", "c"] {
        let behind = try fleet[name].diagnose().filter { $0.code == .behind }
        #expect(behind == [])
      }
      let returned = fleet.peer("a")
      #expect(try fleet["b"].retire("a").standing.peer == returned)
    }
  }
}
