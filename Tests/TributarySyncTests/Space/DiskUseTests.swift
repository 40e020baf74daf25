import Foundation
import Testing
import TributaryStore
import TributarySync
import TributaryTesting

struct DiskUseTests {
  private func size(_ path: String) throws -> UInt64 {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64)
  }

  private func total(_ paths: [String]) throws -> UInt64 {
    try paths.reduce(0) { try $0 + size($1) }
  }

  @Test func `the sizes are those of the files`() throws {
    try withDoctor { doctor in
      let use = try doctor.a.status().space
      #expect(use.store == (try size(doctor.devices.path("a"))))
      #expect(use.writeAheadLog == (try size(doctor.devices.path("a") + "-wal")))
      let container = try #require(use.container)
      #expect(container.ownLog == (try total(doctor.segments(doctor.a))))
      #expect(container.otherLogs == (try total(doctor.segments(doctor.b))))
      #expect(container.baselines == 0)
      #expect(use.limit == nil)
      #expect(try Engine.diskUse(store: doctor.devices.path("a")) == use)
    }
  }

  @Test func `records and bookkeeping are parts of the file`() throws {
    try withDoctor { doctor in
      let before = try #require(try doctor.a.status().space.outbox)
      try doctor.a.execute("INSERT INTO t VALUES (50, hex(zeroblob(500000)))")
      let use = try doctor.a.status().space
      #expect(try #require(use.outbox) >= before + 990_000)
      #expect(try #require(use.bookkeeping) > 0)
      let whole = try doctor.a.rows("PRAGMA page_count")[0]
      #expect(try #require(use.outbox) + #require(use.bookkeeping) < #require(UInt64(whole)) * 4096)
    }
  }

  @Test func `baselines are counted, one's own and those of others`() throws {
    try withDoctor { doctor in
      for (session, count) in [(doctor.a, 1000), (doctor.b, 200)] {
        let directory = try doctor.directory(session) + "/baseline"
        try FileManager.default.createDirectory(
          atPath: directory, withIntermediateDirectories: true)
        try Data(count: count).write(
          to: URL(filePath: directory + "/0000000000000001-0000000000000001.lz4"))
      }
      let use = try #require(try doctor.a.status().space.container)
      #expect(use.ownBaselines == 1000)
      #expect(use.otherBaselines == 200)
      #expect(use.baselines == 1200)
    }
  }

  @Test func `what the others have could go, and who lacks the rest is named`() throws {
    try withDoctor { doctor in
      let before = try #require(try doctor.a.status().space.container)
      #expect(before.held == 0)
      #expect(before.holders == [])
      #expect(before.reclaimable + before.kept >= before.ownLog)
      try doctor.a.execute("INSERT INTO t VALUES (3, 'three')")
      try doctor.a.exchange()
      let after = try #require(try doctor.a.status().space.container)
      #expect(after.held > 0)
      #expect(after.holders == [doctor.b.store.peer])
      try exchange(doctor.b, doctor.a)
      #expect(try doctor.a.status().space.container?.held == 0)
    }
  }

  @Test func `the newest segment and its records stay, even when all devices have them`() throws {
    try withDoctor { doctor in
      for id in 60...62 {
        try doctor.a.execute("INSERT INTO t VALUES (\(id), '\(id)')")
        try doctor.a.exchange()
      }
      try exchange(doctor.b, doctor.a)
      let use = try #require(try doctor.a.status().space.container)
      let segments = try doctor.segments(doctor.a)
      let newest = try size(try #require(segments.last))
      // Records are measured before compression, and a segment has a header besides.
      #expect(use.kept > newest && use.kept < 2 * newest)
      #expect(use.reclaimable > (try total(segments.dropLast())))
      #expect(use.held == 0)
    }
  }

  @Test func `without the container the store's own sizes remain`() throws {
    try withDoctor { doctor in
      try FileManager.default.removeItem(atPath: doctor.devices.container)
      _ = try doctor.a.synchronize()
      let use = try doctor.a.status().space
      #expect(use.store > 0)
      #expect(use.container == nil)
      #expect(try Engine.diskUse(store: doctor.devices.path("a")).container == nil)
    }
  }
}

struct SpaceLimitTests {
  private func limit(_ bytes: UInt64, _ doctor: DoctorFixture) throws -> SyncSession {
    var request = AttachRequest(
      store: doctor.devices.path("a"), container: doctor.devices.container, contentName: "C")
    request.spaceLimit = bytes
    _ = try Engine.attach(request)
    return try SyncSession(store: doctor.devices.path("a"))
  }

  @Test func `above the limit everybody says so, and nothing is refused`() throws {
    try withDoctor { doctor in
      let a = try limit(100, doctor)
      try a.execute("INSERT INTO t VALUES (3, 'three')")
      let report = try a.synchronize()
      #expect(report.failure == nil)
      #expect(report.published.transactions == 1)
      let notice = try #require(report.space)
      #expect(notice.limit == 100)
      #expect(notice.used > 100)
      // Also when there is nothing to do.
      #expect(try a.synchronize().space != nil)
      let status = try a.status()
      #expect(status.space.used == notice.used)
      #expect(status.space.limit == 100)
      #expect(status.findings.contains { $0.contains("more than the limit of 100 ") })
      #expect(try doctor.diagnose("a") == ["warning space-limit"])
      // The limit belongs to one device.
      #expect(try doctor.diagnose("b") == ["note not-imported"])
    }
  }

  @Test func `a limit that is not reached says nothing, and attaching again changes it`() throws {
    try withDoctor { doctor in
      _ = try limit(100, doctor)
      let a = try limit(1 << 30, doctor)
      #expect(try a.synchronize().space == nil)
      #expect(try a.status().space.limit == 1 << 30)
      #expect(try doctor.diagnose("a") == [])
      try doctor.devices.attach("a")
      #expect(try a.status().space.limit == 1 << 30)
      #expect(try limit(0, doctor).status().space.limit == nil)
    }
  }

  @Test func `a store near its limit compacts as soon as there are two segments`() throws {
    func compacted(_ bytes: UInt64?) throws -> Bool {
      var result = false
      try withDoctor { doctor in
        let a = try bytes.map { try limit($0, doctor) } ?? doctor.a
        for id in 3...6 {
          try a.execute("INSERT INTO t VALUES (\(id), '\(id)')")
          try a.exchange()
        }
        let names = try doctor.segments(doctor.a).compactMap { $0.split(separator: "/").last }
        result = names.contains { $0.prefix(16) != $0.dropFirst(17).prefix(16) }
      }
      return result
    }
    #expect(try compacted(nil) == false)
    #expect(try compacted(1 << 30) == false)
    #expect(try compacted(100))
  }

  @Test func `a watch says it once`() {
    var filter = ReportFilter()
    var report = SyncReport()
    report.space = SpaceNotice(limit: 1, used: 2)
    let first = filter.withoutRepetition(report)
    #expect(first.space != nil)
    #expect(filter.withoutRepetition(report).space == nil)
    report.space = nil
    #expect(filter.withoutRepetition(report).space == nil)
    report.space = SpaceNotice(limit: 1, used: 3)
    #expect(filter.withoutRepetition(report).space != nil)
    #expect(SpaceNotice(limit: 2, used: 2) == nil)
  }
}
