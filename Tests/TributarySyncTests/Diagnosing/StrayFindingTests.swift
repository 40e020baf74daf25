import Foundation
import Testing
import TributaryCore
import TributarySync
import TributaryTesting

/// Segments and `peer.json` in other places than their own, and those that nobody needs any more.
struct StrayFindingTests {
  private static let conflict = ".sync-conflict-20260101-120000-ABCDEFG.lz4"

  @Test(arguments: [1, 30, 100])
  func `a truncated conflict copy is called one, whether its segment is there or not`(
    count: Int
  ) throws {
    try withDoctor { doctor in
      let path = try doctor.segments(doctor.b)[0]
      let copy = path.dropLast(4) + Self.conflict
      try FileManager.default.copyItem(atPath: path, toPath: String(copy))
      try change(String(copy)) { $0.removeLast(count) }
      var findings = try doctor.findings("a")
      #expect(findings.map(\.text) == ["note segment-misnamed"])
      #expect(findings[0].explanation.contains("is a truncated or damaged copy of the segment"))
      try FileManager.default.removeItem(atPath: path)
      findings = try doctor.findings("a").filter { $0.code == .misnamed }
      #expect(findings.map(\.text) == ["note segment-misnamed"])
      #expect(try doctor.diagnose("a").contains("warning undelivered"))
      #expect(findings[0].explanation.contains("which is not there"))
      #expect(!findings[0].explanation.contains("under another name"))
    }
  }

  @Test func `of exchanged directories, it says which files to remove, and that is all`() throws {
    try withDoctor { doctor in
      let (a, b) = try (doctor.directory(doctor.a), doctor.directory(doctor.b))
      for (from, to) in [(a, a + "x"), (b, a), (a + "x", b)] {
        try FileManager.default.moveItem(atPath: from, toPath: to)
      }
      for session in [doctor.a, doctor.b, doctor.a, doctor.b] {
        _ = try session.synchronize(reseed: true)
      }
      let strays = try doctor.findings("a").filter { $0.code == .segmentForeign }
      #expect(!strays.isEmpty)
      for stray in strays {
        #expect(stray.remedy.hasPrefix("remove it: "), "\(stray)")
        try FileManager.default.removeItem(atPath: try #require(stray.path))
      }
      #expect(try doctor.findings("a").filter { $0.severity != .note } == [])
      try exchange(doctor.a, doctor.b)
    }
  }

  @Test func `a segment in another directory that its own lacks is to be moved there`() throws {
    try withDoctor { doctor in
      let path = try doctor.segments(doctor.b)[0]
      let moved = try doctor.directory(doctor.a) + "/log/" + path.split(separator: "/").last!
      try FileManager.default.moveItem(atPath: path, toPath: moved)
      let stray = try #require(try doctor.findings("a").first { $0.code == .segmentForeign })
      #expect(stray.remedy.hasPrefix("move it to \(path), where it belongs"), "\(stray)")
      try FileManager.default.moveItem(atPath: moved, toPath: path)
      #expect(try doctor.diagnose("a") == [])
    }
  }

  @Test func `the peer json of an identity that was left may be damaged or missing`() throws {
    try withDoctor { doctor in
      let backup = try StoreBackup(of: doctor.b)
      let path = try doctor.directory(doctor.b) + "/peer.json"
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve')")
      try doctor.b.exchange()
      doctor.b.store.close()
      let b = try backup.restore(isSeen: true, isWitnessed: true)
      #expect(try b.synchronize().renewal != nil)
      try exchange(b, doctor.a)
      try Data("{\n".utf8).write(to: URL(filePath: path))
      for name in ["a", "b"] {
        let finding = try #require(try doctor.findings(name).first { $0.code == .manifest })
        #expect(finding.remedy.contains("delete the file"), "\(finding)")
      }
      let damaged = try doctor.a.synchronize().damaged
      #expect(damaged.map(\.path) == [path])
      #expect(damaged.first?.reason.contains("delete the file") == true)
      try FileManager.default.removeItem(atPath: path)
      for name in ["a", "b"] {
        #expect(try doctor.findings(name).filter { $0.severity != .note } == [])
      }
      try exchange(b, doctor.a)
    }
  }

  @Test func `a peer json about another peer is set aside with a remedy`() throws {
    try withDoctor { doctor in
      try change(try doctor.directory(doctor.b) + "/peer.json") {
        $0 = try! Data(contentsOf: URL(filePath: try! doctor.directory(doctor.a) + "/peer.json"))
      }
      let damaged = try doctor.a.synchronize().damaged
      #expect(damaged.count == 1)
      #expect(damaged.first?.reason.contains("is about the peer") == true)
      #expect(damaged.first?.reason.contains("run `tributary sync` on its device") == true)
    }
  }
}
