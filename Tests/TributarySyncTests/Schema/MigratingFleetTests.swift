import Testing
import TributaryCore
import TributarySQLite
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// Devices migrate at random times. Each writes with the schema that it has, and synchronises at random times.
struct MigratingFleetTests {
  /// In one run; more with `TRIBUTARY_SOAK_HISTORIES`.
  private static let count: UInt64 = 40

  @Test func `devices that migrate at random times agree once all have migrated`() throws {
    for seeds in Soak.seeds(part: 0, otherwise: Self.count) {
      try withSeeds(seeds) { try live(&$0) }
      Soak.didFinish("devices that migrate")
    }
  }

  @Test func `devices that add constraints at random times agree once all have migrated`() throws {
    for seeds in Soak.seeds(part: 1, otherwise: Self.count) {
      try withSeeds(seeds) { try live(&$0, constrains: true) }
      Soak.didFinish("devices that add constraints")
    }
  }

  /// A conflict went on naming the winner of a column that had been dropped; a new device could not use a baseline from
  /// before a renaming.
  @Test(
    .enabled(if: chosenSeed == nil, "another seed was chosen"),
    arguments: [6_709_318_493_566_647_185, 6_784_464_193_865_534_913] as [UInt64])
  func `devices that disagreed once agree now`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try live(&random)
  }

  /// A row of a migration had taken the number of a row that its constraint held, and was not known to be the same as
  /// that of other devices where it was written.
  @Test(
    .enabled(if: chosenSeed == nil, "another seed was chosen"),
    arguments: [9_219_009_557_489_550_177] as [UInt64])
  func `devices that disagreed once under new constraints agree now`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try live(&random, constrains: true)
  }

  private func live(_ random: inout SeededGenerator, constrains: Bool = false) throws {
    try withTemporaryDirectory { directory in
      var fleet = try Fleet(in: directory, &random, constrains: constrains)
      for _ in 0..<Int.random(in: 10...30, using: &random) { try fleet.step(&random) }
      try fleet.finish(&random)
    }
  }

  private struct Fleet {
    let devices: SyncDevices
    let versions: [ApplicationSchema]
    let environment: StoreEnvironment
    let clock = AdjustableClock(milliseconds: 1_700_000_000_000)
    let names = ["a", "b", "c"]
    let sessions: [SyncSession]
    /// By device: the version of its application.
    var version = [0, 0, 0]

    init(in directory: String, _ random: inout SeededGenerator, constrains: Bool) throws {
      devices = try SyncDevices(in: directory)
      var versions = [ApplicationSchema()]
      for _ in 0..<Int.random(in: 2...6, using: &random) {
        var next = versions[versions.count - 1]
        next.evolve(&random, constrains: constrains)
        if next.migrations.count > versions.count { versions.append(next) }
      }
      self.versions = versions
      let (clock, devices) = (clock, devices)
      environment = StoreEnvironment(clock: clock)
      sessions = try names.map { name in
        let peer = PeerIdentity.random(using: &random)
        var environment = StoreEnvironment(clock: clock)
        environment.makeIdentity = { peer }
        environment.randomness = { 0 }
        var request = AttachRequest(
          store: devices.path(name), container: devices.container, contentName: "C")
        request.migrations = versions[0].migrations
        _ = try Engine.attach(request, environment: environment)
        return try SyncSession(store: devices.path(name), environment: environment)
      }
    }

    mutating func step(_ random: inout SeededGenerator) throws {
      clock.advance(by: 1)
      let device = Int.random(in: names.indices, using: &random)
      let session = sessions[device]
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where version[device] + 1 < versions.count:
        try migrate(device)
      case 5 where Int.random(in: 0..<8, using: &random) == 0:
        do {
          _ = try session.writeBaseline()
        } catch let error as SyncError where error.code == .logsMissing {
          // It cannot be made yet, and nothing has changed.
        }
      case 0...2:
        let report = try session.synchronize()
        if let failure = report.failure { throw failure }
      default:
        let sql = versions[version[device]].write(&random)
        do {
          try session.store.write { try $0.execute(sql) }
        } catch let error as SQLiteError where error.isConstraintViolation {
          // This version of the application does not allow the value.
        }
      }
    }

    /// Has a device run the next version of the application.
    private mutating func migrate(_ device: Int) throws {
      version[device] += 1
      let next = versions[version[device]]
      if let remedy = next.remedy {
        try sessions[device].store.write { try $0.execute(remedy) }
        clock.advance(by: 1)
      }
      try sessions[device].store.migrate(next.migrations)
    }

    mutating func finish(_ random: inout SeededGenerator) throws {
      for device in sessions.indices {
        clock.advance(by: 1)
        while versions[(version[device] + 1)...].contains(where: { $0.remedy != nil }) {
          try migrate(device)
        }
        try sessions[device].store.migrate(versions[versions.count - 1].migrations)
      }
      for _ in 0..<3 { for session in sessions { _ = try session.synchronize() } }
      for session in sessions {
        let report = try session.synchronize()
        try #require(report.failure == nil && report.waiting == [])
      }
      let contents = try sessions.map { try $0.store.digest().total }
      try #require(Set(contents).count == 1)
      let conflicts = try sessions.map { try $0.conflicts().map(\.id) }
      try #require(Set(conflicts).count == 1)
      for name in names {
        let report = try Engine.verify(store: devices.path(name))
        try #require(report.differenceCount == 0, "\(name): \(report.differences)")
      }
      try devices.attach("d")
      let fresh = try SyncSession(store: devices.path("d"), environment: environment)
      try #require(try fresh.store.digest().total == contents[0])
    }
  }
}
