import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributaryReplay
import TributaryStore
import TributarySync
import TributaryTesting

/// How devices agree on a horizon.
struct AgreementTests {
  @Test func `a store that is not asked to says nothing about horizons`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory)
      fleet.policy.isOn = false
      try fleet.attach("a")
      try fleet.write("INSERT INTO t VALUES (1, 'x')", on: "a")
      fleet.pass(days: 2)
      try fleet.meet(rounds: 3)
      let manifest = try fleet.manifest("a")
      #expect(manifest.horizon == nil)
      #expect(manifest.format == .current)
      #expect(try fleet.record("a") == HorizonRecord())
      #expect(try fleet.baselines("a").isEmpty)
    }
  }

  @Test func `a store alone proposes, promises, declares and forgets in one step`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a")
      for id in 1...3 { try fleet.write("INSERT INTO t VALUES (\(id), 'x')", on: "a") }
      try fleet.meet()
      #expect(try fleet.record("a") == HorizonRecord(), "nothing is old enough")
      fleet.pass(days: 1)
      try fleet.meet(rounds: 1)
      let record = try fleet.record("a")
      let obeyed = try #require(record.state.obeyed)
      #expect(obeyed.members == [fleet.peer("a")])
      #expect(obeyed.horizon[fleet.peer("a")] == SequenceNumber(3))
      #expect(
        record
          == HorizonRecord(
            state: HorizonState(obeyed: obeyed, promises: [], dropped: []), settled: obeyed))
      #expect(try fleet.baselines("a") == [obeyed])
      #expect(
        try fleet.manifest("a").horizon
          == ManifestHorizon(
            made: SequenceNumber(3), obeyed: obeyed.identifier, settled: obeyed.identifier,
            day: fleet.clock.now / 86_400_000 / 3 * 3))
    }
  }

  @Test func `devices agree on what all have, without what is younger than a day`() throws {
    try withHorizonFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.write("INSERT INTO t VALUES (2, 'b')", on: "b")
      try fleet.meet()
      fleet.pass(days: 1)
      try fleet.write("INSERT INTO t VALUES (3, 'young')", on: "c")
      try fleet.meet(rounds: 4)
      let obeyed = try #require(try fleet.record("a").state.obeyed)
      #expect(obeyed.members == ["a", "b", "c"].map { fleet.peer($0) }.sorted())
      #expect(obeyed.weight == 3)
      let one = SequenceNumber(1)
      #expect(
        obeyed.horizon
          == Knowledge(
            ["a", "b"].map {
              Knowledge.Entry(peer: fleet.peer($0), sequence: one)
            }))
      for name in ["a", "b", "c"] {
        #expect(
          try fleet.record(name)
            == HorizonRecord(
              state: HorizonState(obeyed: obeyed, promises: [], dropped: []), settled: obeyed))
        let stated = try fleet.manifest(name).horizon
        #expect(stated?.obeyed == obeyed.identifier)
        #expect(stated?.settled == obeyed.identifier)
        #expect(stated?.proposal == nil)
      }
      // The two that the identifier chooses have written it, although all had more by then.
      let declared = try ["a", "b", "c"].map { try fleet.baselines($0) }
      #expect(declared.flatMap { $0 } == [obeyed, obeyed])
      #expect(declared.allSatisfy { $0.count <= 1 })
      try fleet.expectEqual()
    }
  }

  @Test func `a device that is away holds everything back`() throws {
    try withHorizonFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.meet()
      fleet.pass(days: 1)
      try fleet.meet("a", "b", rounds: 3)
      for name in ["a", "b"] {
        let record = try fleet.record(name)
        #expect(record.state.obeyed == nil)
        #expect(record.state.promises.count == 1)
        // The text is in the files of all who have promised it.
        #expect(try fleet.manifest(name).horizon?.proposal == record.state.promises[0])
      }
      #expect(try fleet.baselines("a").isEmpty)
      // It is there again, and agrees.
      try fleet.meet("c", "a", "b")
      #expect(try fleet.record("b").state.obeyed != nil)
      #expect(try fleet.record("c").state.promises == [])
    }
  }

  @Test func `a peer that is retired is left out, and the others go on`() throws {
    try withHorizonFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.meet()
      fleet.pass(days: 1)
      try fleet.meet("a", "b")
      _ = try fleet["a"].retire("c")
      fleet.pass(days: 1)
      try fleet.meet("a", "b", rounds: 3)
      let obeyed = try #require(try fleet.record("a").state.obeyed)
      #expect(obeyed.members == ["a", "b"].map { fleet.peer($0) }.sorted())
      // Narrower than the first, it weighs more: it follows the promise.
      #expect(obeyed.weight == 5)
      #expect(try fleet.record("b").state.obeyed == obeyed)
      #expect(try fleet.record("b").settled == obeyed)
    }
  }

  @Test func `a promise that others can never give is dropped, and what it kept out comes in`()
    throws
  {
    try withHorizonFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.meet("a", "b")
      // It has written before it has heard of anything, and nobody knows.
      try fleet["c"].store.write { try $0.execute("INSERT INTO t VALUES (2, 'late')") }
      try FileManager.default.moveItem(
        atPath: fleet.directory.peer(fleet.peer("c")), toPath: fleet.devices.path("aside"))
      fleet.pass(days: 1)
      try fleet.meet("a", rounds: 1)
      let promise = try fleet.record("a").state
      #expect(promise.promises.map(\.members) == [["a", "b"].map { fleet.peer($0) }.sorted()])
      // Its file comes back, and what it wrote: it is no member, so the promise binds.
      try FileManager.default.moveItem(
        atPath: fleet.devices.path("aside"), toPath: fleet.directory.peer(fleet.peer("c")))
      _ = try fleet["c"].publish()
      #expect(try fleet["a"].synchronize().waiting.map(\.peer) == [fleet.peer("c")])
      #expect(try fleet.record("a").state == promise)
      // But b has not promised, and imports it: it can never promise now.
      fleet.policy.isOn = false
      try fleet.open("b")
      try fleet["b"].exchange()
      try fleet["a"].exchange()
      let state = try fleet.record("a").state
      #expect(
        state
          == HorizonState(
            obeyed: nil, promises: [], dropped: [promise.promises[0].identifier]))
      #expect(try fleet.rows("a") == ["1|a", "2|late"])
      #expect(try fleet.manifest("a").horizon?.promises == [])
    }
  }

  @Test func `a device that nobody knew of follows, if it fits`() throws {
    try withHorizonFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.meet()
      let (home, away) = (try fleet.directory.peer(fleet.peer("c")), fleet.devices.path("aside"))
      try FileManager.default.moveItem(atPath: home, toPath: away)
      fleet.pass(days: 1)
      try fleet.meet("a", "b", rounds: 4)
      let obeyed = try #require(try fleet.record("a").settled)
      #expect(obeyed.members == ["a", "b"].map { fleet.peer($0) }.sorted())
      try FileManager.default.moveItem(atPath: away, toPath: home)
      try fleet.meet("c", rounds: 1)
      #expect(
        try fleet.record("c")
          == HorizonRecord(
            state: HorizonState(obeyed: obeyed, promises: [], dropped: []), settled: obeyed))
      try fleet.meet()
      try fleet.expectEqual()
    }
  }

  @Test func `a device that does not fit comes back, and loses nothing`() throws {
    try withHorizonFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.meet("a", "b")
      try fleet.write("INSERT INTO t VALUES (2, 'late')", on: "c")
      let (home, away) = (try fleet.directory.peer(fleet.peer("c")), fleet.devices.path("aside"))
      try FileManager.default.moveItem(atPath: home, toPath: away)
      fleet.pass(days: 1)
      try fleet.meet("a", "b", rounds: 4)
      let settled = try #require(try fleet.record("a").settled)
      try FileManager.default.moveItem(atPath: away, toPath: home)
      let before = fleet.peer("c")
      let report = try fleet["c"].synchronize()
      #expect(report.returned?.declaration == settled.identifier)
      #expect(report.returned?.former == before)
      #expect(report.imported.mayHaveChangedEverything)
      #expect(try fleet.record("c").settled == settled)
      try fleet.meet("a", "b", "c")
      let rows = try fleet.rows("a")
      // The row has another number: others may have given that one.
      #expect(Set(rows.map { $0.drop { $0 != "|" } }) == ["|a", "|late"])
      for name in ["a", "b", "c"] {
        #expect(try fleet.rows(name) == rows)
        #expect(try fleet[name].status().waiting.isEmpty)
      }
    }
  }

  @Test func `a store that was restored from before its promise takes another identity`() throws {
    try withHorizonFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.meet()
      fleet["a"].store.close()
      let (path, copy) = (fleet.devices.path("a"), fleet.devices.path("backup"))
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      try fleet.open("a")
      fleet.pass(days: 1)
      try fleet.meet("a", rounds: 1)
      #expect(try fleet.record("a").state.promises.count == 1)
      let former = fleet.peer("a")
      fleet["a"].store.close()
      // In place, so that the file is no copy.
      try Data(contentsOf: URL(filePath: copy)).write(to: URL(filePath: path))
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      try fleet.open("a")
      let report = try fleet["a"].synchronize()
      #expect(report.renewal?.former == former)
      #expect(report.renewal?.evidence.contains("promise") == true)
      #expect(fleet.peer("a") != former)
      // What it promises now, it promises under that one.
      let promises = try fleet.record("a").state.promises
      #expect(promises.allSatisfy { $0.members.contains(fleet.peer("a")) })
    }
  }
}
