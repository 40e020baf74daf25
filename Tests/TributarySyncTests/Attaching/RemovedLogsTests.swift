import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// What the other devices know of one that was detached and has removed its logs.
struct RemovedLogsTests {
  /// Two devices, the second of which was detached with its logs, after both had met.
  private func withDetached(_ body: (HorizonFleet, PeerIdentity) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b")
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.write("INSERT INTO t VALUES (2, 'b')", on: "b")
      try fleet.meet()
      let peer = fleet.peer("b")
      fleet.drop("b")
      _ = try Engine.detach(
        store: fleet.devices.path("b"), removeLogs: true, environment: fleet.environment)
      try body(fleet, peer)
    }
  }

  @Test func `its directory keeps only a file that says that it is retired`() throws {
    try withDetached { fleet, peer in
      let files = try FileManager.default.contentsOfDirectory(
        atPath: fleet.directory.peer(peer))
      #expect(files == ["peer.json"])
      let said = try #require(
        try PeerManifest.read(of: peer, in: fleet.directory, using: LocalFileSystem()))
      #expect(said.hasRemovedLogs)
      #expect(said.retired == [peer])
      #expect(said.receipt.isEmpty && said.former.isEmpty && said.horizon == nil)
      #expect(said.schema.tables.isEmpty)
    }
  }

  @Test func `a device that cannot say that it is gone names what the others need`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b")
      try fleet.write("INSERT INTO t VALUES (2, 'b')", on: "b")
      try fleet.meet()
      let (container, aside) = (fleet.devices.container, fleet.devices.container + "-aside")
      fleet.drop("b")
      try FileManager.default.moveItem(atPath: container, toPath: aside)
      let report = try Engine.detach(
        store: fleet.devices.path("b"), removeLogs: false, environment: fleet.environment)
      try FileManager.default.moveItem(atPath: aside, toPath: container)
      let warning = try #require(report.ignorance)
      #expect(warning.contains("/peer.json is not there"))
      #expect(warning.contains("`tributary peers retire`"))
      fleet.drop("a")
      let other = try Engine.detach(
        store: fleet.devices.path("a"), removeLogs: false, environment: fleet.environment)
      #expect(other.ignorance == nil)
    }
  }

  @Test func `it is retired for the others, which forget without it`() throws {
    try withDetached { fleet, peer in
      let standing = try #require(try fleet["a"].peers().first { $0.peer == peer })
      #expect(standing.state == .retired)
      #expect(standing.holdsHorizon == false)
      #expect(standing.name == "b")
      // The logs that it has removed count as lost after a day.
      for _ in 0..<4 {
        fleet.pass(days: 2)
        _ = try fleet["a"].synchronize()
      }
      let report = try fleet["a"].writeBaseline()
      #expect(report.awaited == [])
      #expect(report.unable == [])
      #expect(try fleet.record("a").settled?.members == [fleet.peer("a")])
    }
  }

  @Test func `its database can be attached again, as another device`() throws {
    try withDetached { fleet, peer in
      for _ in 0..<4 {
        fleet.pass(days: 2)
        _ = try fleet["a"].synchronize()
      }
      _ = try fleet["a"].writeBaseline()
      try fleet.attach("b")
      #expect(fleet.peer("b") != peer)
      try fleet.meet()
      #expect(try fleet.rows("a") == ["1|a", "2|b"])
      #expect(try fleet.rows("b") == fleet.rows("a"))
    }
  }

  @Test func `an identity that it had left stays left`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", HorizonFleet.schema)
      let b = try devices.open("b")
      try b.execute("INSERT INTO t VALUES (1, 'b')")
      try exchange(a, b)
      let backup = try StoreBackup(of: b)
      try b.execute("INSERT INTO t VALUES (2, 'b')")
      try exchange(a, b)
      b.store.close()
      let restored = try backup.restore()
      try restored.execute("INSERT INTO t VALUES (3, 'restored')")
      let renewal = try #require(try restored.synchronize().renewal)
      try exchange(a, restored)
      #expect(try a.peers().first { $0.peer == renewal.former }?.state == .retired)
      restored.store.close()
      _ = try Engine.detach(store: devices.path("b"), removeLogs: true)
      for peer in [renewal.former, renewal.peer] {
        #expect(try a.peers().first { $0.peer == peer }?.state == .retired)
      }
    }
  }
}
