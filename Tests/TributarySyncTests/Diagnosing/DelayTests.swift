import Foundation
import Testing
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// What keeps a device behind.
struct DelayTests {
  @Test func `what the carrier has not brought is told, with who says that it is published`() throws
  {
    try withDoctor { doctor in
      for id in 3...5 {
        try doctor.b.execute("INSERT INTO t VALUES (\(id + 10), 'v\(id)')")
        try doctor.b.exchange()
      }
      let segments = try doctor.segments(doctor.b)
      #expect(segments.count == 4)
      // The last two have not come; the file that speaks of them has.
      for path in segments.suffix(2) { try FileManager.default.removeItem(atPath: path) }
      let findings = try doctor.findings("a")
      #expect(
        findings.map(\.text) == ["warning undelivered", "note not-imported"])
      #expect(try findings[0].peer == doctor.b.store.identity().peer)
      #expect(findings[0].explanation.contains("has not delivered 2 transactions"))
      #expect(findings[0].explanation.contains("its own peer.json has them up to 4"))
    }
  }

  @Test func `what arrived before its turn waits, and the gap is told`() throws {
    try withDoctor { doctor in
      for id in 3...4 {
        try doctor.b.execute("INSERT INTO t VALUES (\(id + 10), 'v\(id)')")
        try doctor.b.exchange()
      }
      try FileManager.default.removeItem(atPath: doctor.segments(doctor.b)[1])
      let findings = try doctor.findings("a")
      #expect(findings.map(\.text).first == "warning gap")
      #expect(findings[0].explanation.contains("transaction 2 of peer"))
      let waiting = try #require(findings.first { $0.code == .waiting })
      #expect(waiting.explanation.contains("transaction 3 of peer"))
      #expect(waiting.explanation.contains("for transaction 2 of peer"))
      #expect(
        waiting.explanation.contains("it has published it, and the carrier has not brought it"))
    }
  }

  @Test func `what waits for another device says for whom, and what is known of it`() throws {
    try withDoctor { doctor in
      let c = try doctor.devices.open("c")
      try exchange(c, doctor.a, doctor.b)
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve')")
      try doctor.b.exchange()
      try c.exchange()
      try c.execute("INSERT INTO t VALUES (21, 'after twelve')")
      try c.exchange()
      try FileManager.default.removeItem(atPath: doctor.segments(doctor.b)[1])
      let waiting = try #require(try doctor.findings("a").first { $0.code == .waiting })
      #expect(try waiting.peer == c.store.identity().peer)
      #expect(
        try waiting.explanation.contains("for transaction 2 of peer \(doctor.peer(doctor.b))"))
      try FileManager.default.removeItem(atPath: doctor.directory(doctor.b) + "/peer.json")
      #expect(
        try doctor.findings("a").first { $0.code == .waiting }?.explanation.contains(
          "nothing of that device has arrived") == true)
      // The container alone shows it too.
      #expect(try doctor.diagnoseContainer().contains("warning undelivered"))
    }
  }

  @Test func `what is on its way is worth a note`() throws {
    try withDoctor { doctor in
      try doctor.a.execute("INSERT INTO t VALUES (3, 'three')")
      #expect(try doctor.diagnose("a") == ["note unpublished"])
      try doctor.a.exchange()
      // The receipt has simply not come back yet.
      #expect(try doctor.diagnose("a") == [])
      #expect(try doctor.diagnose("b") == ["note not-imported"])
      #expect(try doctor.diagnoseContainer() == [])
      let clock = AdjustableClock(milliseconds: SystemClock().milliseconds())
      clock.advance(by: 16 * 60_000)
      let environment = StoreEnvironment(clock: clock)
      #expect(try doctor.diagnoseContainer(environment) == ["note behind"])
      let finding = try #require(try doctor.findings("a", environment).first)
      #expect(finding.text == "note behind")
      #expect(
        finding.explanation.contains("\(try doctor.peer(doctor.b))")
          && finding.explanation.contains("lacks 1 transaction, since 20"))
    }
  }

  @Test func `many devices that are behind make one line`() throws {
    try withDoctor { doctor in
      for number in 1...7 {
        let session = try doctor.devices.open("c\(number)")
        try session.execute("INSERT INTO t VALUES (\(number + 20), 'v\(number)')")
        _ = try session.synchronize()
      }
      let clock = AdjustableClock(milliseconds: SystemClock().milliseconds())
      clock.advance(by: 3_600_000)
      let behind = try doctor.findings("a", StoreEnvironment(clock: clock)).filter {
        $0.code == .behind
      }
      #expect(behind.count == 1)
      #expect(behind[0].explanation.contains("and 2 more lack some, since "))
      #expect(behind[0].explanation.count < 500)
    }
  }

  @Test func `a peer that has given no sign for a month is told`() throws {
    try withDoctor { doctor in
      try doctor.a.execute("INSERT INTO t VALUES (3, 'three')")
      try doctor.a.exchange()
      let clock = AdjustableClock(milliseconds: SystemClock().milliseconds())
      clock.advance(by: 29 * 86_400_000)
      #expect(try doctor.diagnose("a", StoreEnvironment(clock: clock)) == ["note behind"])
      clock.advance(by: 2 * 86_400_000)
      #expect(
        try doctor.diagnose("a", StoreEnvironment(clock: clock)) == [
          "note behind", "warning silent",
        ])
      #expect(
        try doctor.diagnoseContainer(StoreEnvironment(clock: clock)) == [
          "note behind", "warning silent",
        ])
    }
  }

  @Test func `clocks that are ahead are told, with whose they are`() throws {
    try withDoctor { doctor in
      let clock = AdjustableClock(milliseconds: SystemClock().milliseconds())
      clock.advance(by: -3_600_000)
      // As a device sees it whose clock is an hour behind the others.
      let findings = try doctor.findings("a", StoreEnvironment(clock: clock))
      #expect(findings.map(\.text) == ["warning clock", "warning clock"])
      #expect(try findings.map(\.peer) == [nil, doctor.b.store.identity().peer])
      #expect(findings[0].explanation.contains("follows the stamps of peer"))
      #expect(
        findings[1].explanation.contains("59 minutes")
          || findings[1].explanation.contains("60 minutes"))
      #expect(try doctor.diagnoseContainer(StoreEnvironment(clock: clock)).count == 2)
    }
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", DoctorFixture.script)
      try a.execute("INSERT INTO t VALUES (1, 'one')")
      try a.exchange()
      let clock = AdjustableClock(milliseconds: 1_000_000_000_000)
      let findings = try Engine.diagnose(
        store: devices.path("a"), environment: StoreEnvironment(clock: clock))
      #expect(findings.map(\.text) == ["warning clock"])
      #expect(findings[0].explanation.contains("the clock here was ahead"))
    }
  }

  @Test func `a newer schema, and a trigger that does not allow a row, are told`() throws {
    try withDoctor { doctor in
      try doctor.b.execute("ALTER TABLE t ADD COLUMN more TEXT")
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve', 'x')")
      try doctor.b.exchange()
      let finding = try #require(try doctor.findings("a").first)
      #expect(finding.text == "warning schema")
      #expect(finding.explanation.contains("transaction 2 of peer"))
    }
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", "CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER)")
      let b = try devices.open(
        "b", "CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER);" + RefusingTrigger.script("t"))
      try a.execute("INSERT INTO t VALUES (1, -1)")
      try a.exchange()
      _ = try b.synchronize()
      let finding = try #require(
        try Engine.diagnose(store: devices.path("b")).first { $0.severity != .note })
      #expect(finding.text == "warning refused")
    }
  }

  @Test func `devices that merge differently are told`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = "CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER)"
      let a = try devices.open("a", script)
      let container = devices.container
      try a.exchange()
      // Attached while it saw nothing of the first one.
      try FileManager.default.moveItem(
        atPath: container + "/tributary", toPath: directory + "/away")
      let b = try devices.open(
        "b", script, merge: MergeOptions(tables: ["t": TableMerge(columns: ["n": .counter])]))
      try b.exchange()
      let theirs = try b.store.identity().peer
      try FileManager.default.moveItem(
        atPath: "\(container)/tributary/C/peers/\(theirs)",
        toPath: "\(directory)/away/C/peers/\(theirs)")
      try FileManager.default.removeItem(atPath: container + "/tributary")
      try FileManager.default.moveItem(
        atPath: directory + "/away", toPath: container + "/tributary")
      let findings = try Engine.diagnose(store: devices.path("a"))
      #expect(findings.map(\.text) == ["warning merge-disagreement"])
      #expect(findings[0].peer == theirs)
    }
  }
}
