import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryLog
import TributaryStore
import TributarySync
import TributaryTesting

/// What goes when devices have agreed on a horizon.
struct RemovalTests {
  /// Three devices whose first writes are all beneath a horizon by which all have forgotten.
  private func withSettledFleet(_ body: (HorizonFleet) throws -> Void) throws {
    try withHorizonFleet { fleet in
      try fleet.settle(rounds: 4)
      try body(fleet)
    }
  }

  @Test func `segments and records beneath the horizon go, and all devices stay equal`() throws {
    try withSettledFleet { fleet in
      for name in ["a", "b", "c"] {
        let settled = try #require(try fleet.record(name).settled)
        #expect(settled.horizon[fleet.peer(name)] == SequenceNumber(4))
        #expect(try fleet.segments(name) == ["5-5"])
        #expect(try fleet.records(name) == [5])
      }
      try fleet.expectEqual()
      // They go on as before.
      try fleet.write("DELETE FROM t WHERE id = 1", on: "a")
      try fleet.write("UPDATE t SET v = 'b' WHERE id = 1", on: "b")
      try fleet.write("INSERT INTO t VALUES (100, 'c')", on: "c")
      try fleet.meet(rounds: 3)
      try fleet.expectEqual()
    }
  }

  @Test func `a synchronisation that finds nothing new looks for no baseline`() throws {
    try withSettledFleet { fleet in
      let count = fleet.files.count
      #expect(count > 0)
      try fleet.meet(rounds: 3)
      #expect(fleet.files.count == count)
    }
  }

  @Test func `a new device begins with the declared baseline, and obeys what it declares`() throws {
    try withSettledFleet { fleet in
      let settled = try fleet.record("a").settled
      let report = try fleet.attach("d")
      #expect(report.baseline != nil)
      #expect(
        try fleet.record("d")
          == HorizonRecord(
            state: HorizonState(obeyed: settled, promises: [], dropped: []), settled: settled))
      #expect(try fleet.manifest("d").horizon?.settled == settled?.identifier)
      try fleet.write("INSERT INTO t VALUES (200, 'd')", on: "d")
      try fleet.meet()
      try fleet.expectEqual()
      // It is a member of the next one.
      fleet.pass(days: 1)
      try fleet.meet(rounds: 5)
      let next = try #require(try fleet.record("d").settled)
      #expect(next.members.count == 4)
      #expect(try fleet.record("a").settled == next)
      try fleet.expectEqual()
    }
  }

  @Test func `nothing goes while a device that counts has not forgotten`() throws {
    try withHorizonFleet { fleet in
      for id in 1...3 {
        try fleet.write("INSERT INTO t VALUES (\(id), 'x')", on: "a")
        try fleet.meet()
      }
      fleet.pass(days: 1)
      try fleet.meet("a", "b", rounds: 3)
      // c promises, but does not see yet that all have.
      try fleet.meet("c", rounds: 1)
      try fleet.meet("a", "b", rounds: 3)
      #expect(try fleet.segments("a") == ["1-1", "2-2", "3-3"])
      try fleet.meet("c", "a", rounds: 2)
      #expect(try fleet.segments("a") == ["3-3"])
    }
  }

  @Test func `nothing goes while there is a baseline in one directory only`() throws {
    try withHorizonFleet { fleet in
      for id in 1...3 {
        try fleet.write("INSERT INTO t VALUES (\(id), 'x')", on: "a")
        try fleet.meet()
      }
      fleet.pass(days: 1)
      try fleet.meet("a", "b", "c", rounds: 2)
      let writers = try ["a", "b", "c"].filter { try !fleet.baselines($0).isEmpty }
      #expect(writers.count == 2)
      let victim = try #require(writers.first { $0 != "a" })
      let store = try BaselineStore(
        fleet.directory, peer: fleet.peer(victim), using: LocalFileSystem())
      let path = store.path(of: try #require(try store.names().first))
      let bytes = try Data(contentsOf: URL(filePath: path))
      try bytes.dropLast(9).write(to: URL(filePath: path))
      try fleet.meet("a", rounds: 2)
      let stated = try ["a", "b", "c"].map { try fleet.manifest($0).horizon?.settled }
      #expect(Set(stated).count == 1 && stated[0] != nil, "all have forgotten")
      #expect(try fleet.segments("a") == ["1-1", "2-2", "3-3"])
      // Its writer looks once a day, and writes it again.
      fleet.pass(days: 1)
      try fleet.meet()
      #expect(try fleet.segments("a") == ["3-3"])
    }
  }

  @Test func `removed segments that a carrier brings back are removed again`() throws {
    try withHorizonFleet { fleet in
      for id in 1...3 {
        try fleet.write("INSERT INTO t VALUES (\(id), 'x')", on: "a")
        try fleet.meet()
      }
      let log = try fleet.directory.log(of: fleet.peer("a"))
      let copy = fleet.devices.path("copy")
      try FileManager.default.copyItem(atPath: log, toPath: copy)
      fleet.pass(days: 1)
      try fleet.meet(rounds: 5)
      #expect(try fleet.segments("a") == ["3-3"])
      #expect(try fleet.records("a") == [3])
      let identity = fleet.peer("a")
      for file in try FileManager.default.contentsOfDirectory(atPath: copy) {
        try? FileManager.default.copyItem(atPath: "\(copy)/\(file)", toPath: "\(log)/\(file)")
      }
      #expect(try fleet.segments("a") == ["1-1", "2-2", "3-3"])
      try fleet.open("a")
      try fleet.meet()
      #expect(try fleet.segments("a") == ["3-3"])
      #expect(fleet.peer("a") == identity)
      try fleet.expectEqual()
    }
  }

  @Test func `the command proposes at once, and a store alone writes the declared baseline`() throws
  {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a")
      for id in 1...3 {
        try fleet.write("INSERT INTO t VALUES (\(id), 'x')", on: "a")
        try fleet.meet()
      }
      let report = try fleet["a"].writeBaseline()
      let obeyed = try #require(try fleet.record("a").state.obeyed)
      #expect(try fleet.baselines("a") == [obeyed])
      #expect(report.transactions == 3)
      #expect(try fleet.record("a").settled == obeyed)
      #expect(try fleet.segments("a") == ["3-3"])
      #expect(try fleet.records("a") == [3])
      try fleet.attach("b")
      try fleet.meet()
      try fleet.expectEqual()
    }
  }
}
