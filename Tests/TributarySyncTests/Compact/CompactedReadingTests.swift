import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryReplay
import TributarySync
import TributaryTesting

/// Readers of a log whose segments are compacted meanwhile.
struct CompactedReadingTests {
  /// What the reader finds: the small segments of rows 1 … 3 and the compacted one, in any combination.
  private struct Log {
    let fixture: CompactionFixture
    let compacted: String
    let small: [String]

    init(_ fixture: CompactionFixture) throws {
      self.fixture = fixture
      try fixture.write(1...3, on: fixture.a)
      let names = try fixture.names(of: fixture.a)
      let compacted = try #require(
        names.first { $0.hasPrefix("0000000000000001-0000000000000003") })
      self.compacted = compacted
      small = names.filter { $0 != compacted }
    }

    func remove(_ names: [String]) throws {
      for name in names { try fixture.remove(name, of: fixture.a) }
    }
  }

  @Test(arguments: 0...3)
  func `compacted and small ones are read alike, also where some were imported before`(
    known: Int
  ) throws {
    try withCompactionFixture { fixture in
      let log = try Log(fixture)
      let files = try log.small.map { try fixture.read($0, of: fixture.a) }
      let compacted = try fixture.read(log.compacted, of: fixture.a)
      try log.remove([log.compacted] + log.small[known...])
      try fixture.b.exchange()
      #expect(try fixture.b.rows("SELECT count(*) FROM t") == ["\(known)"])
      // The small ones go first; then the compacted one comes.
      try log.remove(Array(log.small[..<known]))
      try fixture.b.exchange()
      try fixture.put(compacted, log.compacted, of: fixture.a)
      try fixture.b.exchange()
      #expect(try fixture.b.rows("SELECT count(*) FROM t") == ["3"])
      // Both, and then the small ones alone.
      for (name, data) in zip(log.small, files) { try fixture.put(data, name, of: fixture.a) }
      #expect(try fixture.b.synchronize().isEmpty)
      #expect(try Engine.verify(store: fixture.devices.path("b")).differenceCount == 0)
      try log.remove([log.compacted])
      #expect(try fixture.b.synchronize().isEmpty)
      #expect(try Engine.verify(store: fixture.devices.path("b")).differenceCount == 0)
    }
  }

  @Test func `overlapping segments are no finding, and no transaction counts twice`() throws {
    try withCompactionFixture { fixture in
      _ = try Log(fixture)
      try exchange(fixture.a, fixture.b)
      #expect(try fixture.files(of: fixture.a).count == 4)
      #expect(try fixture.findings() == [])
      #expect(try fixture.b.status().findings == [])
      #expect(try Engine.verify(store: fixture.devices.path("b")).transactions == 3)
      #expect(try verification(fixture).transactionCount == 3)
      #expect(try verification(fixture).damageCount == 0)
    }
  }

  private func verification(
    _ fixture: CompactionFixture, using fileSystem: any FileSystem = LocalFileSystem()
  ) throws -> LogVerification.Result {
    try LogVerification(
      LogSearch(using: fileSystem).logs(at: [fixture.devices.container]), using: fileSystem,
      report: { Issue.record("\($0)") }
    ).run()
  }

  @Test(arguments: ["opens", "has listed", "verifies"])
  func `small segments that go while they are read are no damage, and nothing is missing`(
    moment: String
  ) throws {
    let files = VanishingFileSystem()
    try withCompactionFixture(using: files) { fixture in
      let log = try Log(fixture)
      let compacted = try fixture.read(log.compacted, of: fixture.a)
      // The reader lists the small ones, and finds the compacted one when it opens the second of them.
      try fixture.remove(log.compacted, of: fixture.a)
      let last = moment == "has listed" ? log.small[0] : log.small[1]
      files.before(moment == "verifies" ? "status" : "open", last) {
        try fixture.put(compacted, log.compacted, of: fixture.a)
        try log.remove(log.small)
      }
      let report = try fixture.b.synchronize()
      #expect(report.damaged.isEmpty)
      #expect(report.waiting.isEmpty)
      #expect(report.failure == nil)
      #expect(try fixture.b.rows("SELECT count(*) FROM t") == ["3"])
    }
  }

  @Test func `with nothing in their place what is gone has not arrived`() throws {
    let files = VanishingFileSystem()
    try withCompactionFixture(using: files) { fixture in
      let log = try Log(fixture)
      let compacted = try fixture.read(log.compacted, of: fixture.a)
      try fixture.remove(log.compacted, of: fixture.a)
      files.before("open", log.small[1]) { try log.remove(log.small) }
      let report = try fixture.b.synchronize()
      #expect(report.damaged.isEmpty)
      #expect(report.failure == nil)
      try fixture.put(compacted, log.compacted, of: fixture.a)
      try fixture.b.exchange()
      #expect(try fixture.b.rows("SELECT count(*) FROM t") == ["3"])
    }
  }

  @Test func `who verifies or shows a log reads what took the place of what has gone`() throws {
    let files = VanishingFileSystem()
    try withCompactionFixture(using: files) { fixture in
      let log = try Log(fixture)
      let compacted = try fixture.read(log.compacted, of: fixture.a)
      try fixture.remove(log.compacted, of: fixture.a)
      // Its header has been read by then.
      files.before("open", log.small[1], time: 2) {
        try fixture.put(compacted, log.compacted, of: fixture.a)
        try log.remove(log.small)
      }
      let result = try verification(fixture, using: files)
      #expect(result.transactionCount == 3)
      #expect(result.gaps.isEmpty)
    }
  }
}
