import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributarySync
import TributaryTesting

/// What is said where no intact file has what a store has imported.
struct MissingTransactionTests {
  private func failure(of body: () throws -> Void) -> SyncError? {
    do {
      try body()
      return nil
    } catch {
      return error as? SyncError
    }
  }

  @Test(arguments: SegmentDamage.allCases)
  func `verify and rebuild name the damaged file, with the remedy, and change nothing`(
    damage: SegmentDamage
  ) throws {
    try withDoctor { doctor in
      let path = try doctor.segments(doctor.b)[0]
      try change(path, damage.apply)
      let rows = try doctor.a.rows("SELECT id, v FROM t ORDER BY id")
      let store = doctor.devices.path("a")
      doctor.a.store.close()
      let attempts = [
        failure { _ = try Engine.verify(store: store) },
        failure { _ = try Engine.rebuild(store: store) },
      ]
      for error in attempts {
        #expect(error?.code == .logsMissing)
        #expect(error?.path == path)
        #expect(error?.message.contains("lacks") == false)
        #expect(error?.underlying is ContainerError)
        #expect(error?.remedy.contains(damage.remedy) == true, "\(error?.remedy ?? "")")
      }
      let a = try SyncSession(store: store)
      #expect(try a.rows("SELECT id, v FROM t ORDER BY id") == rows)
    }
  }

  @Test func `of a file that is gone, they say who brings it back, and that helps`() throws {
    try withDoctor { doctor in
      try FileManager.default.removeItem(atPath: try doctor.directory(doctor.b))
      let store = doctor.devices.path("a")
      let error = failure { _ = try Engine.verify(store: store) }
      #expect(error?.message.contains("the container lacks transaction 1") == true)
      #expect(error?.underlying == nil)
      #expect(error?.remedy.contains("run `tributary sync --reseed` on one that has") == true)
      let report = try doctor.a.synchronize(reseed: true)
      let written = try #require(report.baseline)
      #expect(written.peers == 2)
      #expect(FileManager.default.fileExists(atPath: written.path))
      #expect(try Engine.verify(store: store).differenceCount == 0)
      let c = try doctor.devices.open("c")
      #expect(
        try c.rows("SELECT id, v FROM t ORDER BY id")
          == doctor.a.rows("SELECT id, v FROM t ORDER BY id"))
    }
  }

  @Test func `a new device says which file is damaged, and what waits for it`() throws {
    try withDoctor { doctor in
      let path = try doctor.segments(doctor.a)[0]
      try change(path, SegmentDamage.flipped.apply)
      let report = try doctor.devices.attach("c")
      #expect(report.delays.flatMap(\.waiting) == report.waiting)
      let delay = try #require(report.delays.first)
      #expect(delay.explanation.contains(path))
      #expect(delay.explanation.contains("is damaged or has not arrived whole"))
      #expect(delay.remedy.contains("run `tributary sync --reseed` on that device"))
      let findings = try doctor.findings("c").filter { $0.code == .gap || $0.code == .waiting }
      #expect(!findings.isEmpty)
      for finding in findings {
        #expect(finding.remedy.contains("`tributary sync --reseed` on that device"), "\(finding)")
      }
      // What it names helps.
      _ = try doctor.a.synchronize(reseed: true)
      let c = try SyncSession(store: doctor.devices.path("c"))
      try c.exchange()
      #expect(
        try c.rows("SELECT id FROM t ORDER BY id") == doctor.a.rows("SELECT id FROM t ORDER BY id"))
    }
  }
}

extension SegmentDamage {
  /// A word of the remedy.
  fileprivate var remedy: String {
    self == .newer ? "update Tributary" : "`tributary sync --reseed`"
  }
}
