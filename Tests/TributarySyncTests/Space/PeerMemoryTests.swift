import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// What is known of peers that say little, have gone, or have lost files.
struct PeerMemoryTests {
  private func withFleet(_ body: (HorizonFleet) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b", "c")
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.meet()
      try body(fleet)
    }
  }

  private func standing(_ name: String, on other: String, _ fleet: HorizonFleet) throws
    -> PeerStanding
  {
    try #require(try fleet[other].peers().first { $0.name == name })
  }

  @Test func `a device that synchronises daily and has nothing to say is active`() throws {
    try withFleet { fleet in
      for _ in 0..<30 {
        fleet.pass(days: 1)
        for name in ["a", "b"] { _ = try fleet[name].synchronize() }
        #expect(try standing("b", on: "a", fleet).state == .active)
      }
      #expect(try standing("c", on: "a", fleet).state == .silent)
    }
  }

  @Test func `a peer keeps its name when its peer json is gone`() throws {
    try withFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (2, 'c')", on: "c")
      try fleet.meet()
      fleet.pass(days: 1)
      try fleet.meet("a")
      let peer = fleet.peer("c")
      try FileManager.default.removeItem(atPath: fleet.directory.manifest(of: peer))
      #expect(try standing("c", on: "a", fleet).peer == peer)
      #expect(try fleet["a"].retire("c").standing.peer == peer)
    }
  }

  @Test func `nobody waits for a device that was detached`() throws {
    try withFleet { fleet in
      let peer = fleet.peer("c")
      fleet.drop("c")
      try Engine.detach(
        store: fleet.devices.path("c"), removeLogs: false, environment: fleet.environment)
      for name in ["a", "b"] {
        let standing = try #require(try fleet[name].peers().first { $0.peer == peer })
        #expect(standing.state == .retired)
        #expect(standing.holdsHorizon == false)
      }
      fleet.pass(days: 1)
      try fleet.meet(rounds: 4)
      #expect(try fleet.record("a").settled?.members.contains(peer) == false)
      // Attached again, it is another one.
      try fleet.attach("c")
      try fleet.meet()
      #expect(fleet.peer("c") != peer)
      try fleet.expectEqual()
    }
  }

  @Test func `who finds only its own directory gone is told that, and nothing else`() throws {
    try withFleet { fleet in
      try FileManager.default.removeItem(atPath: fleet.directory.peer(fleet.peer("a")))
      let failure = try fleet["a"].synchronize().failure as? ContainerError
      #expect(failure?.code == .wiped)
      #expect(failure?.message.contains("somebody has deleted this store's directory") == true)
      #expect(failure?.remedy.contains("sync --reseed") == true)
      _ = try fleet["a"].synchronize(reseed: true)
      try fleet.meet()
      try fleet.expectEqual()
    }
  }

  @Test func `a synchronisation names damaged baselines, and mends its own`() throws {
    try withFleet { fleet in
      fleet.pass(days: 1)
      try fleet.meet(rounds: 4)
      let victim = try #require(try ["a", "b", "c"].first { try !fleet.baselines($0).isEmpty })
      let store = try BaselineStore(
        fleet.directory, peer: fleet.peer(victim), using: LocalFileSystem())
      let path = store.path(of: try #require(try store.names().first))
      try Data(contentsOf: URL(filePath: path)).dropLast(9).write(to: URL(filePath: path))
      // The file system has its own clock.
      fleet.clock.now = UInt64(Date().timeIntervalSince1970 * 1000) + 7_200_000
      for name in ["a", "b", "c"] where name != victim { try fleet.open(name) }
      let other = try #require(["a", "b", "c"].first { $0 != victim })
      #expect(try fleet[other].synchronize().damaged.map(\.path) == [path])
      try fleet.open(victim)
      _ = try fleet[victim].synchronize()
      _ = try fleet[victim].synchronize()
      #expect(try fleet.baselines(victim).count >= 1)
      #expect(try fleet[other].synchronize().damaged.isEmpty)
    }
  }

  @Test func `a single synchronisation proposes when the limit of disk use is near`() throws {
    try withTemporaryDirectory { directory in
      for limit in [UInt64(0), 64] {
        let fleet = try HorizonFleet(in: "\(directory)/\(limit)")
        fleet.policy.fileCount = 1_000_000
        fleet.policy.logShare = 1
        try fleet.attach("a")
        try fleet["a"].store.exchange { try Settings($0).setSpaceLimit(limit) }
        try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
        try fleet.meet()
        fleet.pass(days: 2)
        // Another process.
        try fleet.open("a")
        _ = try fleet["a"].synchronize()
        #expect((try fleet.record("a").state.obeyed != nil) == (limit > 0))
      }
    }
  }

  @Test func `who agrees on no horizon is named as the one that holds all others back`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", HorizonFleet.schema)
      let b = try devices.open("b", HorizonFleet.schema, horizons: .off)
      try a.execute("INSERT INTO t VALUES (1, 'a')")
      try exchange(a, b, a)
      let standing = try #require(try a.peers().first { $0.peer == b.store.peer })
      #expect(standing.holdsHorizon)
      let report = try a.writeBaseline()
      #expect(report.unable.count == 1)
      #expect(report.unable.first?.contains("\(b.store.peer)") == true)
      let findings = try a.diagnose().filter { $0.code == .olderFormat }
      #expect(findings.map(\.peer) == [b.store.peer])
      _ = try a.retire("\(b.store.peer)")
      #expect(try a.diagnose().filter { $0.code == .olderFormat } == [])
      #expect(try a.writeBaseline().unable == [])
    }
  }

  @Test func `the command says what its baseline does not have, and who is waited for`() throws {
    try withFleet { fleet in
      fleet.pass(days: 1)
      try fleet.meet(rounds: 4)
      try fleet.write("INSERT INTO t VALUES (2, 'a')", on: "a")
      let report = try fleet["a"].writeBaseline()
      #expect(report.beyond == 1)
      #expect(report.awaited.count == 2)
      #expect(report.unable == [])
      try fleet.meet(rounds: 4)
      let proposed = try fleet["a"].writeBaseline()
      #expect(proposed.beyond == 1)
      #expect(proposed.awaited.count == 2)
      try fleet.meet(rounds: 4)
      let later = try fleet["a"].writeBaseline()
      #expect(later.beyond == 0)
      #expect(later.awaited == [])
    }
  }
}
