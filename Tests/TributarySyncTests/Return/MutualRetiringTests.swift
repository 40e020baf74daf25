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
  ///
  /// - Parameter later: what the one writes when it has forgotten the rest.
  private func withSides(
    alone: String, later: String? = nil, others: String, schema: String = HorizonFleet.schema,
    merge: MergeOptions? = nil, _ body: (HorizonFleet) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b", "c", schema: schema, merge: merge)
      for id in 1...3 { try fleet.write("INSERT INTO t (id, v) VALUES (\(id), 'old')", on: "a") }
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
      if let later {
        try fleet.write(later, on: "a")
        try fleet.meet("a")
        #expect(try fleet.segments("a").count == 1)
      }
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

  @Test func `what the lighter side has written and forgotten is merged, or in a conflict`() throws
  {
    var merge = TableMerge()
    merge.columns = [SQLName("most"): .max, SQLName("least"): .min]
    try withSides(
      alone: "UPDATE t SET most = 9, least = 2, note = 'mine'",
      later: "UPDATE t SET v = 'later' WHERE id = 1",
      others: "UPDATE t SET most = 7, least = 1 WHERE id = 3",
      schema: """
        CREATE TABLE t (
          id INTEGER PRIMARY KEY, v TEXT, note TEXT, most INTEGER DEFAULT 5, least INTEGER DEFAULT 5)
        """, merge: MergeOptions(tables: ["t": merge])
    ) { fleet in
      for name in ["a", "b", "c"] {
        let rows = try fleet[name].rows("SELECT id, most, least FROM t ORDER BY id")
        #expect(rows == ["1|9|2", "2|9|2", "3|9|1"])
        // It still has a record of another change of the first row.
        let lost = try fleet[name].conflicts().flatMap(\.values).filter { $0.column == "note" }
        #expect(lost.map(\.value) == Array(repeating: Value.string("mine"), count: 3))
      }
      try fleet.expectEqual()
    }
  }

  /// Devices `a` and `b` with a counter each.
  private func withCounters(_ body: (HorizonFleet) throws -> Void) throws {
    var merge = TableMerge()
    merge.columns = [SQLName("n"): .counter]
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(
        in: directory, "a", "b", schema: "CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER)",
        merge: MergeOptions(tables: ["t": merge]))
      try fleet.write("INSERT INTO t VALUES ('a', 0), ('b', 0), ('gone', 0)", on: "a")
      try fleet.meet()
      try body(fleet)
    }
  }

  /// If it agreed with itself, it would forget what it has counted, and come back without that.
  @Test func `a device that reads that the other side has agreed waits for the baseline`() throws {
    try withCounters { fleet in
      fleet.pass(days: 1)
      for _ in 0..<5 { try fleet.write("UPDATE t SET n = n + 1 WHERE id = 'b'", on: "b") }
      _ = try fleet["b"].retire("a")
      let declared = try #require(try fleet.record("b").state.obeyed)
      #expect(try fleet.baselines("b") == [])
      for _ in 0..<5 { try fleet.write("UPDATE t SET n = n + 1 WHERE id = 'a'", on: "a") }
      fleet.pass(days: 1)
      _ = try fleet["a"].retire("b")
      for _ in 0..<2 { _ = try fleet["a"].synchronize() }
      #expect(try fleet.record("a").state.obeyed == nil)
      for _ in 0..<3 {
        for name in ["b", "a"] { _ = try fleet[name].synchronize() }
        fleet.pass(days: 1)
      }
      let obeyed = try #require(try fleet.record("a").state.obeyed)
      #expect(obeyed.horizon.isSuperset(of: declared.horizon))
      for name in ["a", "b"] {
        #expect(try fleet[name].rows("SELECT * FROM t ORDER BY id") == ["a|5", "b|5", "gone|0"])
      }
      try fleet.expectEqual()
    }
  }

  /// Only the baseline has what the first one has counted. If the second one agreed with itself beside it, the first
  /// one might come back without that.
  @Test func `a device that finds the other side's baseline agrees on nothing beside it`() throws {
    try withCounters { fleet in
      _ = try fleet["a"].retire("b")
      _ = try fleet["b"].retire("a")
      let count = "UPDATE t SET n = n + 1 WHERE id = "
      for _ in 0..<4 { try fleet.write(count + "'a'", on: "a") }
      try fleet.write("DELETE FROM t WHERE id = 'gone'", on: "a")
      try fleet.meet("a")
      _ = try fleet["a"].writeBaseline()
      try fleet.write(count + "'a'", on: "a")
      try fleet.meet("a")
      let declared = try #require(try fleet.record("a").settled)
      #expect(try fleet.segments("a") == ["7-7"])
      // Two declarations are heavier than one.
      for _ in 0..<2 {
        try fleet.write(count + "'b'", on: "b")
        _ = try fleet["b"].writeBaseline()
      }
      #expect(try fleet.baselines("b").compactMap { $0 } == [])
      fleet.pass(days: 1)
      try fleet.meet(rounds: 3)
      let obeyed = try #require(try fleet.record("b").state.obeyed)
      #expect(obeyed.horizon.isSuperset(of: declared.horizon))
      for name in ["a", "b"] {
        #expect(try fleet[name].rows("SELECT * FROM t ORDER BY id") == ["a|5", "b|2"])
        #expect(try fleet[name].conflicts().isEmpty)
      }
      try fleet.expectEqual()
    }
  }
}
