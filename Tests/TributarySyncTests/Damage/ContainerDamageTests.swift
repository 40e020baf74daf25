import Foundation
import Testing
import TributaryCore
import TributarySync
import TributaryTesting

/// Files of the container that are damaged: named, set aside, and published again.
struct ContainerDamageTests {
  enum Damage: CaseIterable {
    case flipped, truncated, empty, foreign, removed

    func apply(_ path: String, other: String) throws {
      switch self {
      case .flipped: try change(path) { $0[$0.count / 2] ^= 0x10 }
      case .truncated: try change(path) { $0.removeLast(7) }
      case .empty: try change(path) { $0.removeAll() }
      case .foreign: try Data(contentsOf: URL(filePath: other)).write(to: URL(filePath: path))
      case .removed: try FileManager.default.removeItem(atPath: path)
      }
    }
  }

  @Test(arguments: Damage.allCases)
  func `a damaged segment is set aside, holds up only what depends on it, and comes by one command`(
    damage: Damage
  ) throws {
    try withDoctor { doctor in
      let c = try doctor.devices.open("c")
      try exchange(c, doctor.a, doctor.b)
      try doctor.b.execute("INSERT INTO t VALUES (12, 'twelve')")
      try doctor.b.exchange()
      try doctor.a.execute("INSERT INTO t VALUES (3, 'three')")
      try doctor.a.exchange()
      let path = try doctor.segments(doctor.b)[1]
      try damage.apply(path, other: doctor.segments(doctor.a)[0])

      let report = try c.synchronize()
      #expect(report.failure == nil)
      let isShort = damage == .truncated || damage == .empty
      #expect(report.damaged.map(\.path) == (damage == .removed || isShort ? [] : [path]))
      #expect(report.arriving.map(\.path) == (isShort ? [path] : []))
      // What does not depend on it has come.
      #expect(try c.rows("SELECT id FROM t ORDER BY id") == ["1", "2", "3", "11"])

      let mended = try doctor.b.synchronize(reseed: true)
      #expect(mended.failure == nil)
      #expect(mended.published.segments == 1)
      #expect(try doctor.segments(doctor.b)[1] == path)
      try c.exchange()
      #expect(try c.rows("SELECT id FROM t ORDER BY id") == ["1", "2", "3", "11", "12"])
      try exchange(doctor.a, doctor.b, c)
      try exchange(doctor.a, doctor.b, c)
      for name in ["a", "b", "c"] { #expect(try doctor.findings(name) == []) }
      // Nothing is written when there is nothing to mend.
      #expect(try doctor.b.synchronize(reseed: true).published.segments == 0)
    }
  }

  @Test func `a peer file that is damaged under a session is written anew by it`() throws {
    try withDoctor { doctor in
      let path = try doctor.directory(doctor.a) + "/peer.json"
      let right = try Data(contentsOf: URL(filePath: path))
      try change(path) { $0[10] ^= 1 }
      try doctor.a.exchange()
      #expect(try Data(contentsOf: URL(filePath: path)) == right)
    }
  }

  @Test func `a segment that became a link is published again by the next synchronisation`() throws
  {
    try withDoctor { doctor in
      let files = FileManager.default
      let path = try doctor.segments(doctor.b)[0]
      let right = try Data(contentsOf: URL(filePath: path))
      try files.moveItem(atPath: path, toPath: doctor.devices.directory + "/elsewhere")
      try files.createSymbolicLink(
        atPath: path, withDestinationPath: doctor.devices.directory + "/elsewhere")
      let report = try doctor.b.synchronize()
      #expect(report.failure == nil)
      #expect(report.published.segments == 1)
      #expect(try files.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeRegular)
      #expect(try Data(contentsOf: URL(filePath: path)) == right)
      #expect(try doctor.b.synchronize().published.segments == 0)
    }
  }
}
