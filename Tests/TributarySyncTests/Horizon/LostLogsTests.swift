import Foundation
import Testing
import TributarySync
import TributaryTesting

/// Logs that some have imported and no file has any more (rule 25 of `docs/space-files.md`).
struct LostLogsTests {
  /// Devices `a`, `b` and `c`, of which `a` alone has imported what `gone` wrote, before all of that disappeared.
  private func withLoss(
    isDamaged: Bool = false, _ body: (HorizonFleet) throws -> Void
  ) throws {
    try withTemporaryDirectory { path in
      let fleet = try HorizonFleet(in: path, "a", "b", "c", "gone")
      try fleet.write("INSERT INTO t VALUES (1, 'one'), (2, 'two')", on: "a")
      try fleet.meet()
      try fleet.write("UPDATE t SET v = 'of gone' WHERE id = 1", on: "gone")
      try fleet.meet("gone", "a", rounds: 1)
      let directory = try fleet.directory
      if isDamaged {
        let log = directory.log(of: fleet.peer("gone"))
        for name in try FileManager.default.contentsOfDirectory(atPath: log) {
          let file = URL(filePath: log + "/" + name)
          var bytes = try Data(contentsOf: file)
          bytes[bytes.count / 2] ^= 1
          try bytes.write(to: file)
        }
      } else {
        try FileManager.default.removeItem(atPath: directory.peer(fleet.peer("gone")))
      }
      fleet.drop("gone")
      try body(fleet)
    }
  }

  private func pass(days: Int, _ fleet: HorizonFleet) throws {
    for _ in 0..<days {
      fleet.pass(days: 1)
      for _ in 0..<2 { for name in ["a", "b", "c"] { _ = try fleet[name].synchronize() } }
    }
  }

  /// A horizon without them would make their rows a conflict on the device that has them.
  @Test func `a device that has imported only some of them leaves it to one that has more`() throws
  {
    try withTemporaryDirectory { path in
      let fleet = try HorizonFleet(in: path, "a", "b", "c", "gone")
      try fleet.write("INSERT INTO t VALUES (1, 'one')", on: "gone")
      try fleet.meet()
      try fleet.write("INSERT INTO t VALUES (2, 'lost')", on: "gone")
      try fleet.meet("gone", "a", rounds: 1)
      try FileManager.default.removeItem(atPath: fleet.directory.peer(fleet.peer("gone")))
      fleet.drop("gone")
      try fleet.write("INSERT INTO t VALUES (3, 'of c')", on: "c")
      for _ in 0..<4 {
        for name in ["c", "b", "a"] {
          fleet.clock.advance(by: 1)
          _ = try fleet[name].synchronize()
        }
        fleet.pass(days: 1)
        fleet.clock.advance(by: 3_600_000)
      }
      try fleet.meet(rounds: 3)
      try fleet.expectEqual()
      #expect(try fleet["c"].rows("SELECT v FROM t ORDER BY v") == ["lost", "of c", "one"])
      for name in ["a", "b", "c"] { #expect(try fleet[name].conflicts() == []) }
    }
  }

  @Test(arguments: [false, true])
  func `who has imported them and was left out meanwhile comes back with them`(
    isDamaged: Bool
  ) throws {
    try withLoss(isDamaged: isDamaged) { fleet in
      try fleet.write("INSERT INTO t VALUES (3, 'of a')", on: "a")
      _ = try fleet["b"].retire("a")
      if isDamaged { _ = try fleet["b"].retire("gone") }
      for day in 4..<10 {
        fleet.pass(days: 1)
        try fleet.write("INSERT INTO t VALUES (\(day), 'of b')", on: "b")
        for _ in 0..<3 { for name in ["b", "c"] { _ = try fleet[name].synchronize() } }
      }
      try pass(days: 4, fleet)
      for name in ["a", "b", "c"] {
        let report = try fleet[name].synchronize()
        #expect(report.waiting == [])
        #expect(report.delays.isEmpty)
        #expect(report.failure == nil)
        let found = try Engine.diagnose(
          store: fleet.devices.path(name), environment: fleet.environment)
        let codes = Set(found.map(\.code))
        #expect(codes.isDisjoint(with: [.gap, .undelivered, .silent, .waiting]), "\(found)")
        let values = try fleet[name].rows("SELECT v FROM t ORDER BY v")
        #expect(values == ["of a"] + Array(repeating: "of b", count: 6) + ["of gone", "two"])
        #expect(try fleet.rows(name) == fleet.rows("a"))
      }
    }
  }

  @Test(arguments: [false, true])
  func `who has imported them gives them to the others, by a baseline`(isDamaged: Bool) throws {
    try withLoss(isDamaged: isDamaged) { fleet in
      try fleet.write("INSERT INTO t VALUES (3, 'of a')", on: "a")
      try fleet.write("INSERT INTO t VALUES (4, 'of b')", on: "b")
      try fleet.write("UPDATE t SET v = 'of c' WHERE id = 2", on: "c")
      _ = try fleet["a"].synchronize()
      // Nobody can bring it, but that shows only after a while.
      #expect(try fleet["b"].synchronize().waiting.count == 1)
      try pass(days: 5, fleet)
      for name in ["a", "b", "c"] {
        let report = try fleet[name].synchronize()
        #expect(report.waiting == [])
        #expect(report.failure == nil)
        // A row that is issued again has another number.
        #expect(
          try fleet[name].rows("SELECT v FROM t ORDER BY v") == ["of a", "of b", "of c", "of gone"])
        #expect(try fleet.rows(name) == fleet.rows("a"))
        #expect(try fleet[name].conflicts() == [])
      }
    }
  }

  @Test func `what would have to be compared with them is issued again`() throws {
    try withLoss { fleet in
      // Both change the same row, and `a` knows what `gone` made of it.
      try fleet.write("UPDATE t SET v = 'of b' WHERE id = 1", on: "b")
      try pass(days: 4, fleet)
      let conflicts = try fleet["a"].conflicts().map(\.id)
      #expect(conflicts.count == 1)
      for name in ["a", "b", "c"] {
        #expect(try fleet[name].synchronize().waiting == [])
        #expect(try fleet.rows(name) == fleet.rows("a"))
        #expect(try fleet[name].conflicts().map(\.id) == conflicts)
      }
    }
  }

  @Test func `the user can say that they will not come back`() throws {
    try withLoss { fleet in
      try fleet.write("INSERT INTO t VALUES (3, 'of a')", on: "a")
      try fleet.write("UPDATE t SET v = 'of c' WHERE id = 2", on: "c")
      for _ in 0..<3 {
        for name in ["a", "b", "c"] { _ = try fleet[name].synchronize(reseed: true) }
      }
      try fleet.meet()
      for name in ["a", "b", "c"] {
        #expect(try fleet.rows(name) == ["1|of gone", "2|of c", "3|of a"])
      }
    }
  }

  @Test func `what a lost device wrote too late comes in when it is retired`() throws {
    try withTemporaryDirectory { path in
      let fleet = try HorizonFleet(in: path, "late")
      try fleet.write("INSERT INTO t VALUES (2, 'late')", on: "late")
      _ = try fleet["late"].publish()
      let late = fleet.peer("late")
      let (directory, aside) = (try fleet.directory.peer(late), path + "/aside")
      fleet.drop("late")
      // The carrier brings it only when the others have agreed.
      try FileManager.default.moveItem(atPath: directory, toPath: aside)
      for name in ["a", "b"] { try fleet.attach(name) }
      try fleet.write("INSERT INTO t VALUES (1, 'one')", on: "a")
      try fleet.meet()
      fleet.pass(days: 1)
      try fleet.write("UPDATE t SET v = 'two'", on: "a")
      try fleet.meet("a", "b", rounds: 5)
      #expect(try fleet.record("b").settled != nil)
      try FileManager.default.moveItem(atPath: aside, toPath: directory)
      let waiting = try fleet["a"].synchronize().waiting
      #expect(waiting.map(\.peer) == [late])
      #expect("\(waiting)".contains("issues it again"))
      _ = try fleet["a"].retire(late.description)
      #expect(try fleet["a"].synchronize().waiting == [])
      #expect(try fleet["b"].synchronize().waiting == [])
      for name in ["a", "b"] {
        #expect(try fleet[name].rows("SELECT v FROM t ORDER BY v") == ["late", "two"])
      }
    }
  }

  @Test
  func `a device that cannot promise what waits for a lost one comes back when that is left out`()
    throws
  {
    try withTemporaryDirectory { path in
      let fleet = try HorizonFleet(in: path, "late")
      try fleet.write("INSERT INTO t VALUES (9, 'late')", on: "late")
      _ = try fleet["late"].publish()
      let (directory, aside) = (try fleet.directory.peer(fleet.peer("late")), path + "/aside")
      try FileManager.default.moveItem(atPath: directory, toPath: aside)
      for name in ["a", "b", "gone"] { try fleet.attach(name) }
      try fleet.write("INSERT INTO t VALUES (1, 'one')", on: "a")
      try fleet.meet("a", "b", "gone")
      fleet.pass(days: 1)
      try fleet.write("UPDATE t SET v = 'two'", on: "a")
      // These promise what the third never will.
      try fleet.meet("a", "b", rounds: 3)
      #expect(try fleet.record("b").state.promises.count == 1)
      fleet.drop("gone")
      try FileManager.default.moveItem(atPath: aside, toPath: directory)
      let before = fleet.peer("late")
      for day in 0..<110 {
        fleet.pass(days: 1)
        try fleet.write("INSERT INTO t VALUES (\(100 + day), 'day \(day)')", on: "late")
        for _ in 0..<2 { for name in ["late", "a", "b"] { _ = try fleet[name].synchronize() } }
      }
      #expect(fleet.peer("late") != before)
      let rows = try fleet["a"].rows("SELECT v FROM t ORDER BY v")
      #expect(rows.count == 112)
      for name in ["late", "b"] {
        #expect(try fleet[name].rows("SELECT v FROM t ORDER BY v") == rows)
      }
    }
  }

  @Test func `a log that comes back within a day is waited for`() throws {
    try withTemporaryDirectory { path in
      let fleet = try HorizonFleet(in: path, "a", "b")
      try fleet.write("INSERT INTO t VALUES (1, 'one')", on: "a")
      try fleet.meet()
      try fleet.write("UPDATE t SET v = 'two'", on: "b")
      try fleet.meet("b", "a", rounds: 1)
      let (before, aside) = (fleet.peer("b"), path + "/aside")
      let directory = try fleet.directory.peer(before)
      try FileManager.default.moveItem(atPath: directory, toPath: aside)
      _ = try fleet["a"].synchronize()
      try FileManager.default.moveItem(atPath: aside, toPath: directory)
      fleet.pass(days: 2)
      try fleet.meet(rounds: 5)
      #expect(fleet.peer("b") == before)
      #expect(try fleet.rows("a") == ["1|two"])
    }
  }

  @Test func `doctor finds what a synchronisation says is lacking, while a baseline is awaited`()
    throws
  {
    try withTemporaryDirectory { path in
      let fleet = try HorizonFleet(in: path, "a", "b", "c")
      try fleet.settle(rounds: 2)
      let lost = try fleet.directory.peer(fleet.peer("a"))
      try fleet.write("INSERT INTO t VALUES (50, 'of a')", on: "a")
      try fleet.meet("a", "b", rounds: 1)
      try FileManager.default.removeItem(atPath: lost)
      fleet.drop("a")
      var lacking = 0
      for _ in 0..<24 {
        fleet.clock.advance(by: HorizonFleet.day / 6)
        _ = try fleet["b"].synchronize()
        guard try !fleet["c"].synchronize().delays.isEmpty else { continue }
        lacking += 1
        let found = try Engine.diagnose(
          store: fleet.devices.path("c"), environment: fleet.environment)
        #expect(found.contains { $0.code == .undelivered && $0.severity == .warning }, "\(found)")
      }
      #expect(lacking > 0)
      #expect(try fleet.rows("b") == fleet.rows("c"))
    }
  }
}
