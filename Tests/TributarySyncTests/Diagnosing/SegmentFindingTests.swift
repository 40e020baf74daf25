import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributarySimulation
import TributarySync
import TributaryTesting

struct SegmentFindingTests {
  @Test(arguments: SegmentDamage.allCases)
  func `a segment that is not as it was written is named, with its peer and the remedy`(
    damage: SegmentDamage
  ) throws {
    try withDoctor { doctor in
      let path = try doctor.segments(doctor.b)[0]
      try change(path, damage.apply)
      for findings in [
        try doctor.findings("a"), try doctor.findings("b"),
        try Engine.diagnose(container: doctor.devices.container),
      ] {
        let finding = try #require(findings.first)
        #expect(finding.text == damage.text)
        #expect(finding.path == path)
        #expect(try finding.peer == doctor.b.store.identity().peer)
      }
      if damage == .flipped {
        let remedies = try ["a", "b"].map { try doctor.findings($0)[0].remedy }
        #expect(remedies[0].contains("`tributary sync --reseed` on that device"))
        #expect(remedies[1].hasPrefix("run `tributary sync --reseed`"))
      }
    }
  }

  @Test func `a segment of another peer or content name is reported as foreign`() throws {
    try withDoctor { doctor in
      let theirs = try doctor.segments(doctor.b)[0]
      let moved = try doctor.directory(doctor.a) + "/log/" + theirs.split(separator: "/").last!
      try FileManager.default.copyItem(atPath: theirs, toPath: moved)
      let findings = try doctor.findings("b").filter { $0.code == .segmentForeign }
      #expect(findings.map(\.path) == [moved])
      #expect(findings[0].explanation.contains("is by the peer"))
    }
  }

  @Test
  func `a copy under another name is a note where the segment is there, and a warning where not`()
    throws
  {
    try withDoctor { doctor in
      let path = try doctor.segments(doctor.b)[0]
      let copy = path.dropLast(4) + " copy.lz4"
      try FileManager.default.copyItem(atPath: path, toPath: String(copy))
      #expect(try doctor.diagnose("a") == ["note segment-misnamed"])
      try FileManager.default.removeItem(atPath: path)
      #expect(try doctor.diagnose("a").contains("warning segment-misnamed"))
      try Data("other".utf8).write(to: URL(filePath: String(copy)))
      #expect(try doctor.diagnose("a").contains("note segment-misnamed"))
    }
  }

  @Test func `other files are counted by kind, and change no exit status`() throws {
    try withDoctor { doctor in
      let own = try doctor.directory(doctor.a)
      let theirs = try doctor.directory(doctor.b)
      for path in [
        own + "/log/.tmp-0123456789abcdef",
        own + "/peer.sync-conflict-20260101-120000-ABCDEFG.json",
        theirs + "/peer (1).json", theirs + "/log/.x.lz4.icloud", theirs + "/log/.nfs0001",
        own + "/notes.txt", own + "/.DS_Store",
      ] { try Data().write(to: URL(filePath: path)) }
      try FileManager.default.createDirectory(
        atPath: theirs + "/log/0000000000000009-0000000000000009-0000000000000000.lz4",
        withIntermediateDirectories: false)
      let findings = try doctor.findings("a")
      #expect(findings.map(\.text) == Array(repeating: "note ignored-files", count: 7))
      #expect(findings[1].explanation.contains(" and 1 more"))
    }
  }

  @Test func `a temporary file of a publisher that was killed is told once it is old`() throws {
    try withDoctor { doctor in
      let path = try doctor.directory(doctor.a) + "/log/.tmp-0123456789abcdef"
      try Data().write(to: URL(filePath: path))
      #expect(try doctor.diagnose("a") == ["note ignored-files"])
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: path)
      #expect(try doctor.diagnose("a") == ["note ignored-files", "note stale-temporary"])
    }
  }

  @Test func `two logs of one peer that part are told with the first transaction that differs`()
    throws
  {
    try withDoctor { doctor in
      let manager = FileManager.default
      let (store, log) = (doctor.devices.path("b"), try doctor.directory(doctor.b) + "/log")
      // Two lives of one store, each of which has published its transaction 2.
      let saved = doctor.devices.directory + "/saved"
      try doctor.b.store.service { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
      try manager.copyItem(atPath: store, toPath: saved + ".db")
      let known = try doctor.segments(doctor.b)
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve')")
      try doctor.b.exchange()
      let published = try #require(try doctor.segments(doctor.b).first { !known.contains($0) })
      try manager.moveItem(atPath: published, toPath: saved)
      let twin = try SyncSession(store: saved + ".db", environment: .blind)
      try twin.execute("INSERT INTO t VALUES (13, 'thirteen')")
      _ = try twin.synchronize()
      try manager.moveItem(
        atPath: saved, toPath: "\(log)/\(published.split(separator: "/").last!)")
      let findings = try doctor.findings("a").filter { $0.severity == .damage }
      #expect(findings.map(\.code) == [.fork])
      #expect(try findings[0].peer == doctor.b.store.identity().peer)
      #expect(findings[0].explanation.contains("part at transaction 2"))
      #expect(try doctor.diagnoseContainer().contains("damage fork"))
      #expect(try doctor.diagnose("b").contains("damage identity"))
    }
  }

  @Test func `a peer file that cannot be read is told, and the sync of its store mends it`() throws
  {
    try withDoctor { doctor in
      let path = try doctor.directory(doctor.b) + "/peer.json"
      let right = try Data(contentsOf: URL(filePath: path))
      for data in [Data(), Data("{}".utf8), right.dropLast(9)] {
        try data.write(to: URL(filePath: path))
        #expect(try doctor.diagnose("a") == ["damage manifest"])
        #expect(try doctor.findings("a")[0].remedy.contains("there"))
        #expect(try doctor.diagnoseContainer() == ["damage manifest"])
        try doctor.b.exchange()
        #expect(try Data(contentsOf: URL(filePath: path)) == right)
      }
      try FileManager.default.removeItem(atPath: path)
      #expect(try doctor.diagnose("a") == ["warning manifest"])
      let newer = String(decoding: ManifestSeal.opened(Array(right)), as: UTF8.self)
        .replacing(#""major":1"#, with: #""major":9"#)
      try Data(ManifestSeal.sealed(Array(newer.utf8))).write(to: URL(filePath: path))
      #expect(try doctor.diagnose("a") == ["warning newer-format"])
    }
  }
}

extension SegmentDamage {
  /// What is said of it.
  fileprivate var text: String {
    switch self {
    case .truncated: "damage segment-truncated"
    case .empty: "damage segment-empty"
    case .flipped: "damage segment-damaged"
    case .newer: "warning newer-format"
    }
  }
}
