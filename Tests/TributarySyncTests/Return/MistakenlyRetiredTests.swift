import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// A device that others have retired, and that is there after all.
struct MistakenlyRetiredTests {
  private static let track =
    "CREATE TABLE track (code TEXT PRIMARY KEY, title TEXT, plays INTEGER) WITHOUT ROWID"

  /// Three devices, of which one has written what the others do not know, and these have agreed without it.
  private func withAbsent(_ body: (ReturnFleet) throws -> Void) throws {
    var merge = TableMerge()
    merge.columns = [SQLName("plays"): .counter]
    try withTemporaryDirectory { directory in
      let fleet = try ReturnFleet(
        in: directory, Self.track, merge: MergeOptions(tables: ["track": merge]),
        setup: "INSERT INTO track VALUES ('carey', 'Carey', 10), ('river', 'River', 10)")
      try fleet.absent.execute("UPDATE track SET plays = plays + 1, title = 'Absent'")
      try fleet.absent.execute("INSERT INTO track VALUES ('blue', 'Blue', 1)")
      try fleet.a.execute("UPDATE track SET plays = plays + 5 WHERE code = 'river'")
      try fleet.declare()
      try body(fleet)
    }
  }

  private func withFleet(_ body: (ReturnFleet) throws -> Void) throws {
    try withAbsent { fleet in
      // Another device issues again what the retired one has published.
      #expect(try fleet.retire().returned?.retired == fleet.absent.store.peer)
      try body(fleet)
    }
  }

  /// The device that has retired it may see its old log before it has come back.
  @Test func `what it publishes when it returns is left to it`() throws {
    try withAbsent { fleet in
      let peers = (fleet.a.store.peer, fleet.b.store.peer)
      for session in [fleet.a, fleet.b] {
        #expect(
          try session.retire(fleet.absent.store.peer.description).report.returned == nil)
      }
      _ = try fleet.absent.publish()
      for session in [fleet.a, fleet.b] {
        #expect(try session.synchronize().returned == nil)
      }
      #expect(try fleet.absent.comeBack().returned != nil)
      try fleet.expectEqual()
      try fleet.expect(
        "SELECT * FROM track ORDER BY code", ["blue|Blue|1", "carey|Absent|11", "river|Absent|16"])
      try fleet.expect(conflicts: [])
      #expect((fleet.a.store.peer, fleet.b.store.peer) == peers)
    }
  }

  /// - Parameter isAsked: whether the user says once more that the device is gone.
  @Test(arguments: [false, true])
  func `what a carrier brings of it late is issued again a day later, or on request`(
    isAsked: Bool
  ) throws {
    try withAbsent { fleet in
      let absent = fleet.absent.store.peer
      #expect(try fleet.a.retire(absent.description).report.returned == nil)
      _ = try fleet.absent.publish()
      func session(hoursLater hours: UInt64) throws -> SyncSession {
        fleet.a.store.close()
        var environment = StoreEnvironment(clock: AheadClock(milliseconds: hours * 3_600_000))
        environment.horizons = .off
        return try SyncSession(store: fleet.devices.path("a"), environment: environment)
      }
      for hours: UInt64 in [0, 23] {
        let session = try session(hoursLater: hours)
        #expect(try session.synchronize().returned == nil)
        session.store.close()
      }
      let session = try session(hoursLater: isAsked ? 23 : 25)
      let report =
        try isAsked ? session.retire(absent.description).report : session.synchronize()
      #expect(report.returned?.retired == absent)
      try expectEqualAfterExchange(session, fleet.b)
      #expect(
        try fleet.b.rows("SELECT * FROM track ORDER BY code")
          == ["blue|Blue|1", "carey|Absent|11", "river|Absent|16"])
    }
  }

  @Test func `a session that has nothing else to do issues it again when that day is over`() throws
  {
    try withAbsent { fleet in
      let absent = fleet.absent.store.peer
      #expect(try fleet.a.retire(absent.description).report.returned == nil)
      _ = try fleet.absent.publish()
      fleet.a.store.close()
      // It is 22:13.
      let clock = AdjustableClock()
      var environment = StoreEnvironment(clock: clock)
      environment.horizons = .off
      let session = try SyncSession(store: fleet.devices.path("a"), environment: environment)
      defer { session.store.close() }
      for hours: Int64 in [0, 0, 0, 3, 0, 0] {
        clock.advance(by: hours * 3_600_000)
        #expect(try session.synchronize().returned == nil)
      }
      clock.advance(by: 21 * 3_600_000 + 60_000)
      #expect(try session.synchronize().returned?.retired == absent)
    }
  }

  /// It could not know that the others had agreed without it, and nobody has retired it.
  @Test func `what a device has published and was then detached is issued again once, a day later`()
    throws
  {
    try withAbsent { fleet in
      _ = try fleet.absent.publish()
      let (peer, directory) = (fleet.absent.store.peer, try fleet.directory)
      fleet.absent.store.close()
      var manifest = try #require(
        try PeerManifest.read(of: peer, in: directory, using: LocalFileSystem()))
      manifest.retired.insert(peer)
      try manifest.publish(in: directory, using: LocalFileSystem())
      for session in [fleet.a, fleet.b] {
        #expect(try session.synchronize().returned == nil)
        session.store.close()
      }
      var environment = StoreEnvironment(clock: AheadClock(milliseconds: 25 * 3_600_000))
      environment.horizons = .off
      let sessions = try ["a", "b"].map {
        try SyncSession(store: fleet.devices.path($0), environment: environment)
      }
      let reports = try sessions.map { try $0.synchronize() }
      #expect(reports.compactMap(\.returned).map(\.retired) == [peer])
      try expectEqualAfterExchange(sessions[0], sessions[1])
      #expect(
        try sessions[1].rows("SELECT * FROM track ORDER BY code")
          == ["blue|Blue|1", "carey|Absent|11", "river|Absent|16"])
      for session in sessions { session.store.close() }
    }
  }

  @Test func `nobody lacks what another device has issued again`() throws {
    try withFleet { fleet in
      try expectEqualAfterExchange(fleet.a, fleet.b)
      let environment = StoreEnvironment(clock: AheadClock(milliseconds: 40 * 86_400_000))
      for name in ["a", "b"] {
        let found = try Engine.diagnose(store: fleet.devices.path(name), environment: environment)
        #expect(Set(found.map(\.code)).isDisjoint(with: [.behind, .silent]), "\(found)")
      }
    }
  }

  @Test func `what another device has issued again counts once`() throws {
    try withFleet { fleet in
      let report = try fleet.absent.comeBack()
      #expect(report.failure == nil)
      #expect(report.returned?.reissued == 0)
      #expect(report.returned?.fenced == 0)
      try fleet.expectEqual()
      try fleet.expect(
        "SELECT * FROM track ORDER BY code", ["blue|Blue|1", "carey|Absent|11", "river|Absent|16"])
      try fleet.expect(conflicts: [])
    }
  }

  @Test func `what it has written since comes with it`() throws {
    try withFleet { fleet in
      try fleet.absent.execute("UPDATE track SET plays = plays + 2 WHERE code = 'carey'")
      try fleet.absent.execute("INSERT INTO track VALUES ('court', 'Court and Spark', 1)")
      #expect(try fleet.absent.comeBack().failure == nil)
      try fleet.expectEqual()
      try fleet.expect(
        "SELECT * FROM track ORDER BY code",
        ["blue|Blue|1", "carey|Absent|13", "court|Court and Spark|1", "river|Absent|16"])
      try fleet.expect(conflicts: [])
    }
  }

  @Test func `a second device that retires it issues nothing again`() throws {
    try withFleet { fleet in
      try fleet.a.exchange()
      let report = try fleet.b.retire(fleet.absent.store.peer.description).report
      #expect(report.failure == nil)
      #expect(report.returned == nil)
      try expectEqualAfterExchange(fleet.a, fleet.b)
      #expect(
        try fleet.b.rows("SELECT * FROM track ORDER BY code")
          == ["blue|Blue|1", "carey|Absent|11", "river|Absent|16"])
    }
  }
}
