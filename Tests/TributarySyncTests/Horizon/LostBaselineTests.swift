import Foundation
import Testing
import TributaryContainer
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// Baselines of what devices have forgotten that are all damaged or gone, after the logs beneath them were removed.
struct LostBaselineTests {
  /// Damages the end of all baselines, or removes them.
  private func lose(_ fleet: HorizonFleet, isDamaged: Bool) throws {
    for name in fleet.sessions.keys {
      let store = try BaselineStore(
        fleet.directory, peer: fleet.peer(name), using: LocalFileSystem())
      for baseline in try store.names() {
        let path = store.path(of: baseline)
        let bytes = try Data(contentsOf: URL(filePath: path))
        try FileManager.default.removeItem(atPath: path)
        if isDamaged { try bytes.dropLast(9).write(to: URL(filePath: path)) }
      }
    }
  }

  @Test(arguments: [true, false])
  func `a writer replaces its own that was damaged, though nobody needs it`(opensAnew: Bool) throws
  {
    try withHorizonFleet { fleet in
      try fleet.settle(rounds: 4)
      // It is not the turn of this one.
      try fleet.attach("d")
      _ = try fleet["d"].writeBaseline()
      for name in ["d", "a", "b", "c"] {
        let store = try BaselineStore(
          fleet.directory, peer: fleet.peer(name), using: LocalFileSystem())
        let names = try store.names()
        for baseline in names {
          let file = try FileHandle(forWritingTo: URL(filePath: store.path(of: baseline)))
          try file.truncate(atOffset: file.seekToEnd() - 9)
          try file.close()
          #expect(throws: (any Error).self) { try store.read(baseline) }
        }
        if opensAnew { try fleet.open(name) }
        _ = try fleet[name].synchronize()
        let present = try store.names()
        if name == "d" { #expect(!names.isEmpty && !present.isEmpty) }
        for baseline in present { try store.read(baseline) }
      }
      try fleet.meet()
      try fleet.expectEqual()
    }
  }

  @Test func `a device that writes all the time replaces what is lost without one that is away`()
    throws
  {
    try withHorizonFleet { fleet in
      try fleet.settle(rounds: 4)
      for name in ["b", "c"] { try fleet[name].exchange() }
      let before = try #require(try fleet.record("a").settled)
      let others = Set(["b", "c"].map(fleet.peer))
      try lose(fleet, isDamaged: false)
      for name in ["b", "c"] { fleet.drop(name) }
      for hour in 0..<60 {
        fleet.clock.advance(by: 3_600_000)
        try fleet.write("UPDATE t SET v = 'hour \(hour)' WHERE id = 0", on: "a")
        _ = try fleet["a"].synchronize()
      }
      let settled = try #require(try fleet.record("a").settled)
      #expect(before < settled)
      #expect(others.isDisjoint(with: settled.members))
      try fleet.attach("d")
      try fleet.meet("a", "d")
      #expect(try fleet.rows("d") == fleet.rows("a"))
    }
  }

  @Test func `a watch comes back by itself`() throws {
    try withHorizonFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (1, 'c')", on: "c")
      try fleet.meet()
      try fleet.write("INSERT INTO t VALUES (100, 'of c')", on: "c")
      _ = try fleet["a"].retire("c")
      try forget(fleet, "'a'")
      let (before, session, stop) = (fleet.peer("c"), fleet["c"], StopSignal())
      let watch = try WorkerThread(name: "watch") {
        do {
          try session.watch(intervalMilliseconds: 20, stop: stop) { _ in }
        } catch {
          Issue.record(error)
        }
      }
      defer {
        stop.stop()
        watch.join()
      }
      try eventually { session.store.peer != before }
      stop.stop()
      watch.join()
      try fleet.meet()
      try fleet.expectEqual()
      #expect(try fleet.rows("a").contains { $0.hasSuffix("|of c") })
      #expect(try fleet.rows("c").count == 6)
    }
  }

  @Test func `a segment with other bytes is published again by the first synchronisation of a day`()
    throws
  {
    try withTemporaryDirectory { path in
      let fleet = try HorizonFleet(in: path, "a", "b")
      try fleet.write("INSERT INTO t VALUES (1, 'one')", on: "a")
      try fleet.meet()
      let log = try fleet.directory.log(of: fleet.peer("a"))
      let name = try #require(FileManager.default.contentsOfDirectory(atPath: log).first)
      let file = URL(filePath: log + "/" + name)
      let whole = try Data(contentsOf: file)
      var bytes = whole
      bytes[bytes.count - 30] ^= 1
      let handle = try FileHandle(forWritingTo: file)
      try handle.write(contentsOf: bytes)
      try handle.close()
      // A killed process has left that long ago.
      let baselines = try fleet.directory.baseline(of: fleet.peer("a"))
      try FileManager.default.createDirectory(
        atPath: baselines, withIntermediateDirectories: true)
      let left = baselines + "/.tmp-0123456789abcdef"
      try Data().write(to: URL(filePath: left))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: left)
      _ = try fleet["a"].synchronize()
      #expect(try Data(contentsOf: file) == bytes)
      fleet.pass(days: 1)
      try fleet.open("a")
      _ = try fleet["a"].synchronize()
      #expect(try Data(contentsOf: file) == whole)
      #expect(!FileManager.default.fileExists(atPath: left))
      try fleet.attach("c")
      try fleet.meet()
      try fleet.expectEqual()
    }
  }

  @Test(arguments: [true, false])
  func `the command has the devices agree on a later one`(isDamaged: Bool) throws {
    try withHorizonFleet { fleet in
      try fleet.settle(rounds: 4)
      try lose(fleet, isDamaged: isDamaged)
      let error = #expect(throws: SyncError.self) { try fleet["a"].writeBaseline() }
      #expect(error?.remedy.contains("call `store.synchronize()` on the other devices") == true)
      try fleet.meet("b", "c", rounds: 2)
      #expect(try fleet["a"].writeBaseline().path.contains("\(fleet.peer("a"))"))
      try fleet.meet(rounds: 3)
      try fleet.expectEqual()
      try fleet.attach("d")
      try fleet.expectEqual()
    }
  }

  @Test(arguments: [true, false])
  func `a device that has begun meanwhile, with nothing, holds nobody back`(
    usesCommand: Bool
  ) throws {
    try withHorizonFleet { fleet in
      try fleet.settle(rounds: 4)
      try lose(fleet, isDamaged: false)
      try fleet.attach("d")
      try fleet.write("INSERT INTO t VALUES (500, 'd')", on: "d")
      if usesCommand { #expect(throws: SyncError.self) { try fleet["a"].writeBaseline() } }
      for _ in 0..<4 {
        fleet.pass(days: 1)
        for _ in 0..<3 { for name in ["a", "b", "c", "d"] { _ = try fleet[name].synchronize() } }
      }
      try fleet.meet()
      try fleet.expectEqual()
      #expect(try fleet.rows("a").count == 13)
    }
  }

  @Test func `where all publish into a wiped container again, a baseline has what they forgot`()
    throws
  {
    try withTemporaryDirectory { path in
      let fleet = try HorizonFleet(in: path, "a", "b")
      for id in 1...3 {
        for (number, name) in ["a", "b"].enumerated() {
          try fleet.write("INSERT INTO t VALUES (\(id * 10 + number), '\(name)')", on: name)
        }
        try fleet.meet()
      }
      fleet.pass(days: 1)
      try fleet.meet(rounds: 5)
      for name in ["a", "b"] {
        #expect(try fleet.record(name).settled != nil)
        try fleet.write("INSERT INTO t VALUES (\(name == "a" ? 100 : 101), 'last')", on: name)
        _ = try fleet[name].synchronize()
      }
      let (peers, container) = (["a", "b"].map(fleet.peer), fleet.devices.container)
      for name in try FileManager.default.contentsOfDirectory(atPath: container) {
        try FileManager.default.removeItem(atPath: "\(container)/\(name)")
      }
      for reseeds in [true, false] {
        for name in ["a", "b"] {
          fleet.clock.advance(by: 1)
          _ = try fleet[name].synchronize(reseed: reseeds)
        }
      }
      #expect(try !(fleet.baselines("a") + fleet.baselines("b")).isEmpty)
      #expect(["a", "b"].map(fleet.peer) == peers)
      try fleet.attach("c")
      try fleet.meet()
      try fleet.expectEqual()
      #expect(try fleet.rows("c").count == 8)
    }
  }

  /// Has two devices write rows and forget all but the last of them.
  ///
  /// - Parameter values: those of the columns after the key.
  private func forget(_ fleet: HorizonFleet, _ values: String) throws {
    for id in 2...5 {
      if id == 5 {
        fleet.pass(days: 1)
        try fleet.meet("a", "b", rounds: 4)
      }
      try fleet.write("INSERT INTO t VALUES (\(id), \(values))", on: "a")
      try fleet.meet("a", "b")
    }
    #expect(try fleet.segments("a") == ["4-4"])
  }

  @Test func `who lacks what the others have removed says that it takes a baseline, and does`()
    throws
  {
    try withHorizonFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (1, 'c')", on: "c")
      try fleet.meet()
      _ = try fleet["a"].retire("c")
      try forget(fleet, "'a'")
      let delays = try fleet["c"].synchronize().delays
      #expect(delays.count == 1)
      #expect(delays.first?.explanation.contains("only baselines have it") == true, "\(delays)")
      #expect(delays.first?.remedy.contains("`tributary sync --reseed`") == true)
      _ = try fleet["c"].synchronize(reseed: true)
      try fleet.meet()
      try fleet.expectEqual()
      #expect(try fleet.rows("c").count == 5)
    }
  }

  @Test func `who needs a migration to take a baseline is told so, and comes back after it`() throws
  {
    try withHorizonFleet { fleet in
      let addition = "ALTER TABLE t ADD COLUMN more"
      try fleet.write("INSERT INTO t VALUES (1, 'c')", on: "c")
      try fleet.meet()
      _ = try fleet["a"].retire("c")
      for name in ["a", "b"] { try fleet.write(addition, on: name) }
      try forget(fleet, "'a', 'more'")
      let delays = try fleet["c"].synchronize().delays
      #expect(delays.map(\.needsHelp) == [true])
      #expect(
        delays.first?.explanation.contains("with column more of table t, which does not exist here")
          == true, "\(delays)")
      #expect(delays.first?.remedy.hasPrefix("run the migration that adds it") == true)
      let rows = try fleet.rows("c")
      let error = try #require(throws: SyncError.self) { try fleet["c"].comeBack() }
      #expect(error.message.contains("no baseline fits its tables"), "\(error)")
      #expect(error.remedy.hasPrefix("run the migration of the application"), "\(error)")
      #expect(try fleet.rows("c") == rows)
      try fleet.write(addition, on: "c")
      let mended = try fleet["c"].synchronize()
      #expect(mended.delays.isEmpty && mended.returned != nil)
      try fleet.meet()
      try fleet.expectEqual()
      #expect(try fleet.rows("c").count == 5)
    }
  }

  @Test
  func
    `who has a UNIQUE key of its own that no baseline fits is told so, and comes back without it`()
    throws
  {
    try withHorizonFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (1, 'c')", on: "c")
      try fleet.meet()
      _ = try fleet["a"].retire("c")
      try forget(fleet, "'a'")
      try fleet.write("CREATE UNIQUE INDEX by_v ON t (v)", on: "c")
      let delays = try fleet["c"].synchronize().delays
      #expect(
        delays.first?.remedy.hasPrefix(
          "if rows of the others break UNIQUE (v) of table t, which only this store has, drop that key, then sync again; "
            + "otherwise nothing needs to be done") == true, "\(delays)")
      let error = try #require(throws: SyncError.self) { try fleet["c"].comeBack() }
      #expect(
        error.message.contains(
          "a UNIQUE key of this store does not allow its rows: UNIQUE constraint failed: t.v"),
        "\(error)")
      #expect(error.remedy.hasPrefix("drop the UNIQUE index"), "\(error)")
      try fleet.write("DROP INDEX by_v", on: "c")
      _ = try fleet["c"].synchronize(reseed: true)
      try fleet.meet()
      try fleet.expectEqual()
      #expect(try fleet.rows("c").count == 5)
    }
  }
}
