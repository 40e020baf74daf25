import Foundation
import Testing
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// What is on its way, and what needs somebody's help.
struct LastingDelayTests {
  private func withClock(
    _ body: (DoctorFixture, SyncSession, AdjustableClock) throws -> Void
  ) throws {
    try withDoctor { doctor in
      let clock = AdjustableClock(milliseconds: SystemClock().milliseconds())
      let a = try SyncSession(
        store: doctor.devices.path("a"), environment: StoreEnvironment(clock: clock))
      try body(doctor, a, clock)
    }
  }

  @Test func `what has not arrived is waited for in silence for a day`() throws {
    try withClock { doctor, a, clock in
      for id in 3...4 {
        try doctor.b.execute("INSERT INTO t VALUES (\(id + 10), 'v\(id)')")
        try doctor.b.exchange()
      }
      let path = try doctor.segments(doctor.b)[1]
      let data = try Data(contentsOf: URL(filePath: path))
      try FileManager.default.removeItem(atPath: path)
      let young = try a.synchronize()
      #expect(young.delays.map(\.needsHelp) == [false])
      #expect(young.delays.map(\.waiting) == [young.waiting])
      #expect(young.delays[0].explanation.contains("the carrier has not brought it"))
      clock.advance(by: Int64(Delay.patience) - 1)
      #expect(try a.synchronize().delays.map(\.needsHelp) == [false])
      clock.advance(by: 1)
      // A process that begins now knows how long it has been so.
      let later = try SyncSession(store: a.store.path, environment: StoreEnvironment(clock: clock))
      let old = try later.synchronize()
      #expect(old.delays.map(\.needsHelp) == [true])
      #expect(old.delays[0].explanation.contains(", since "))
      #expect(try later.status().delays.map(\.needsHelp) == [true])
      try data.write(to: URL(filePath: path))
      #expect(try later.synchronize().delays.isEmpty)
      #expect(try later.status().delays.isEmpty)
      #expect(
        try later.store.service {
          try $0.integer("SELECT count(*) FROM tributary_store WHERE key = 'delays'")
        } == 0)
    }
  }

  @Test func `what only a receipt shows is said also when there become too many to read whole`()
    throws
  {
    try withDoctor { doctor in
      var environment = StoreEnvironment()
      environment.mostWholeReceipts = 3
      try doctor.devices.attach("own")
      let own = try SyncSession(store: doctor.devices.path("own"), environment: environment)
      try exchange(doctor.a, doctor.b, own)
      let place = try doctor.directory(doctor.b)
      let former = "\(doctor.devices.directory)/former"
      let latest = "\(doctor.devices.directory)/latest"
      try FileManager.default.copyItem(atPath: place, toPath: former)
      try doctor.b.execute("INSERT INTO t VALUES (13, 'v3')")
      try exchange(doctor.b, doctor.a)
      try FileManager.default.moveItem(atPath: place, toPath: latest)
      try FileManager.default.moveItem(atPath: former, toPath: place)

      let few = try own.synchronize().delays.map(\.explanation)
      #expect(few.count == 1)
      #expect(try few[0].contains(doctor.peer(doctor.b)))
      let more = try doctor.devices.open("more")
      _ = try more.synchronize()
      let many = try own.synchronize().delays.map(\.explanation)
      #expect(many == few)
      try FileManager.default.removeItem(atPath: place)
      try FileManager.default.moveItem(atPath: latest, toPath: place)
      try expectEqualAfterExchange(own, doctor.a, doctor.b, more)
      #expect(try own.synchronize().delays.isEmpty)
    }
  }

  @Test func `what cannot be imported here needs help at once`() throws {
    try withClock { doctor, a, _ in
      try doctor.b.execute("ALTER TABLE t ADD COLUMN more TEXT")
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve', 'x')")
      try doctor.b.exchange()
      let report = try a.synchronize()
      #expect(report.delays.map(\.needsHelp) == [true])
      #expect(
        report.delays[0].explanation.contains("a column more of table t that does not exist here"))
      #expect(report.delays[0].remedy.contains("run the migration that adds it"))
    }
  }

  @Test func `what only an identity has that nobody is any more is said so`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", DoctorFixture.script)
      try a.execute("INSERT INTO t VALUES (1, 'one')")
      try a.exchange()
      let backup = try StoreBackup(of: a)
      try a.execute("INSERT INTO t VALUES (2, 'two')")
      try a.exchange()
      let restored = try backup.restore(to: devices.path("restored"))
      try restored.execute("INSERT INTO t VALUES (3, 'three')")
      let renewal = try #require(try restored.synchronize().renewal)
      try restored.exchange()
      // All that is left of the former identity is what others know of it.
      try FileManager.default.removeItem(
        atPath: "\(devices.container)/tributary/C/peers/\(renewal.former)")
      let fresh = try SyncDevices(in: directory).open("fresh")
      let report = try fresh.synchronize()
      #expect(report.delays.map(\.needsHelp) == [true])
      #expect(report.delays[0].explanation.contains("nobody publishes it again"))
      #expect(report.delays[0].remedy.contains("on a device that has imported it"))
      let finding = try #require(
        try Engine.diagnose(store: devices.path("fresh")).first { $0.code == .undelivered })
      #expect(!finding.remedy.contains("`store.synchronize()` there"))
      // The remedy helps.
      for session in [restored, fresh, restored] { _ = try session.synchronize(reseed: true) }
      try exchange(restored, fresh)
      for session in [restored, fresh] {
        let rows = try session.rows("SELECT v FROM t ORDER BY id")
        #expect(rows == ["one", "two", "three"])
      }
    }
  }

  @Test(arguments: [0, 1, 60, 9])
  func `a file that is cut short is on its way, and is damaged when it stays so`(cut: Int) throws {
    try withClock { doctor, a, clock in
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve')")
      try doctor.b.exchange()
      let path = try doctor.segments(doctor.b)[1]
      let whole = try Data(contentsOf: URL(filePath: path))
      // The last nine bytes lack, or all but the first few are still to come.
      let short = cut == 9 ? whole.dropLast(9) : whole.prefix(cut)
      try short.write(to: URL(filePath: path))
      func states() throws -> [[String]] {
        let report = try a.synchronize()
        return [report.arriving.map(\.path), report.damaged.map(\.path)]
      }
      #expect(try states() == [[path], []])
      #expect(try a.status().findings.contains("\(path) has not arrived whole yet"))
      clock.advance(by: Int64(Delay.filePatience) / 2)
      #expect(try states() == [[path], []])
      clock.advance(by: Int64(Delay.filePatience))
      #expect(try states() == [[], [path]])
      try whole.write(to: URL(filePath: path))
      #expect(try states() == [[], []])
      #expect(try a.rows("SELECT id FROM t WHERE id = 12") == ["12"])
    }
  }

  @Test func `a file that is whole and wrong is damaged at once`() throws {
    try withClock { doctor, a, _ in
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve')")
      try doctor.b.exchange()
      let path = try doctor.segments(doctor.b)[1]
      try change(path) { $0[$0.count - 60] ^= 1 }
      let report = try a.synchronize()
      #expect(report.arriving.isEmpty)
      #expect(report.damaged.map(\.path) == [path])
    }
  }
}
