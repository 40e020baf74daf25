import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What stores have left behind under former identities, and what depends on it.
struct LeftBehindTests {
  private static let schema = "CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT)"

  /// Hides what some devices have published from the others.
  private func withHidden(
    _ names: [String], of fleet: HorizonFleet, in directory: String, _ body: () throws -> Void
  ) throws {
    let paths = try names.map { try fleet.directory.peer(fleet.peer($0)) }
    for (number, path) in paths.enumerated() {
      try FileManager.default.moveItem(atPath: path, toPath: directory + "/aside\(number)")
    }
    try body()
    for (number, path) in paths.enumerated() {
      try FileManager.default.moveItem(atPath: directory + "/aside\(number)", toPath: path)
    }
  }

  /// Makes devices `a` and `b` forget without `c`, which did not know everything, and without `d`, which knew everything,
  /// and what `c` had written.
  private func withTwoLeftOut(_ body: (HorizonFleet) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b", "c", "d", schema: Self.schema)
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.meet()
      try fleet.write("INSERT INTO t VALUES (3, 'c')", on: "c")
      try fleet.write("INSERT INTO t VALUES (2, 'a')", on: "a")
      try fleet.meet("a", "b", "d")
      for name in ["c", "d"] { _ = try fleet["a"].retire(name) }
      try fleet.meet("c", "d", rounds: 1)
      try fleet.write("INSERT INTO t VALUES (4, 'd')", on: "d")
      try fleet.meet("d", rounds: 1)
      try withHidden(["c", "d"], of: fleet, in: directory) {
        fleet.pass(days: 1)
        try fleet.meet("a", "b", rounds: 4)
        #expect(try fleet.record("a").settled != nil)
      }
      try body(fleet)
    }
  }

  @Test func `nobody waits for what a device wrote that knew what is kept out, once it is back`()
    throws
  {
    try withTwoLeftOut { fleet in
      let before = fleet.peer("d")
      for _ in 0..<3 {
        for name in ["a", "b", "c", "d"] { _ = try fleet[name].synchronize() }
      }
      #expect(fleet.peer("d") != before)
      for name in ["a", "b", "c", "d"] {
        let waiting = try fleet[name].synchronize().waiting
        #expect(waiting == [])
        let rows = try fleet.rows(name)
        #expect(rows == ["1|a", "2|a", "3|c", "4|d"])
      }
      try fleet.expectEqual()
    }
  }

  @Test func `if that device is lost, who retired it issues again what it wrote`() throws {
    try withTwoLeftOut { fleet in
      fleet.drop("d")
      for _ in 0..<3 {
        for name in ["a", "b", "c"] { _ = try fleet[name].synchronize() }
        fleet.pass(days: 1)
      }
      for name in ["a", "b", "c"] {
        let waiting = try fleet[name].synchronize().waiting
        #expect(waiting == [])
        let rows = try fleet.rows(name)
        #expect(rows == ["1|a", "2|a", "3|c", "4|d"])
      }
      try fleet.expectEqual()
    }
  }

  /// No baseline declares the horizon any more above which that is written.
  @Test func `a device comes back that has imported what another left behind and nobody can read`()
    throws
  {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b", "old", schema: Self.schema)
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.meet()
      _ = try fleet["a"].retire("old")
      fleet.pass(days: 1)
      try fleet.meet("a", "b", rounds: 4)
      let first = try #require(try fleet.record("a").settled)
      try fleet.write("INSERT INTO t VALUES (2, 'a')", on: "a")
      try fleet.meet("a", "b")
      try fleet.attach("late")
      _ = try fleet["a"].retire("late")
      try fleet.write("INSERT INTO t VALUES (3, 'late')", on: "late")
      try fleet.meet("late", rounds: 1)
      try withDamagedBaselines(of: fleet) {
        _ = try fleet["old"].synchronize()
        #expect(try fleet.rows("old") == ["1|a", "2|a", "3|late"])
        #expect(try fleet.record("old").state.obeyed == nil)
      }
      let before = fleet.peer("late")
      try withHidden(["late"], of: fleet, in: directory) {
        try fleet.write("INSERT INTO t VALUES (4, 'a')", on: "a")
        try fleet.meet("a", "b")
        fleet.pass(days: 1)
        try fleet.meet("a", "b", rounds: 5)
        let baselines = try fleet.baselines("a") + fleet.baselines("b")
        #expect(!baselines.contains(first))
      }
      for name in ["late", "a", "b", "late"] { _ = try fleet[name].synchronize() }
      #expect(fleet.peer("late") != before)
      // Another process remembers no horizon of which no baseline is there.
      try fleet.open("old")
      try fleet.write("INSERT INTO t VALUES (5, 'old')", on: "old")
      for _ in 0..<3 {
        for name in ["old", "a", "b", "late"] {
          let failure = try fleet[name].synchronize().failure
          #expect(failure == nil)
        }
        fleet.pass(days: 1)
      }
      for name in ["a", "b", "late", "old"] {
        let waiting = try fleet[name].synchronize().waiting
        #expect(waiting == [])
        let rows = try fleet.rows(name)
        #expect(rows == ["1|a", "2|a", "3|late", "4|a", "5|old"])
      }
      try fleet.expectEqual()
    }
  }

  /// The `peer.json` of both had arrived, but never the last segment.
  @Test func `a database that has rows joins after the devices that alone had the rest are lost`()
    throws
  {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b", "c", schema: Self.schema)
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.meet()
      try fleet.write("INSERT INTO t VALUES (2, 'a')", on: "a")
      try fleet.meet("a", "b")
      let log = try fleet.directory.log(of: fleet.peer("a"))
      let last = try #require(
        FileManager.default.contentsOfDirectory(atPath: log).first {
          $0.hasPrefix("0000000000000002-")
        })
      try FileManager.default.removeItem(atPath: log + "/" + last)
      for name in ["a", "b"] {
        fleet.drop(name)
        _ = try fleet["c"].retire(name)
      }
      try fleet.write("INSERT INTO t VALUES (3, 'c')", on: "c")
      for _ in 0..<4 {
        fleet.pass(days: 1)
        _ = try fleet["c"].synchronize()
      }
      #expect(try fleet.record("c").settled != nil)
      let lost = try fleet["c"].diagnose().filter { $0.code == .undelivered }
      #expect(lost.map(\.severity) == [.note])
      let database = try Connection(path: fleet.devices.path("more"), mode: .create)
      try database.execute(Self.schema + "; INSERT INTO t VALUES (4, 'more')")
      database.close()
      let request = AttachRequest(
        store: fleet.devices.path("more"), container: fleet.devices.container, contentName: "C")
      #expect(try Engine.attach(request, environment: fleet.environment).isComplete)
      try fleet.open("more")
      for name in ["more", "c", "more"] { _ = try fleet[name].synchronize() }
      #expect(try fleet.rows("more") == ["1|a", "3|c", "4|more"])
      try fleet.expectEqual()
    }
  }

  /// Cuts off the ends of all baselines, but not what they declare.
  private func withDamagedBaselines(of fleet: HorizonFleet, _ body: () throws -> Void) throws {
    var whole: [String: Data] = [:]
    for name in ["a", "b"] {
      let store = try BaselineStore(
        fleet.directory, peer: fleet.peer(name), using: LocalFileSystem())
      for file in try store.names() {
        let path = store.path(of: file)
        whole[path] = try Data(contentsOf: URL(fileURLWithPath: path))
        try whole[path]?.dropLast(8).write(to: URL(fileURLWithPath: path))
      }
    }
    #expect(!whole.isEmpty)
    try body()
    for (path, data) in whole { try data.write(to: URL(fileURLWithPath: path)) }
  }
}
