import Foundation
import Testing
import TributaryContainer
import TributaryStore
import TributarySync
import TributaryTesting

/// Damaged segments of devices that are gone, of which a baseline has everything.
struct CoveredSegmentTests {
  @Test func `such a segment may be deleted`() throws {
    try withHorizonFleet { fleet in
      try fleet.settle(rounds: 4)
      fleet.pass(days: 1)
      try fleet.meet(rounds: 5)
      let peer = fleet.peer("c")
      let settled = try #require(try fleet.record("a").settled)
      let log = try fleet.directory.log(of: peer)
      for name in try FileManager.default.contentsOfDirectory(atPath: log) {
        let segment = try #require(SegmentName(name))
        #expect(segment.last <= settled.horizon[peer])
        let file = URL(filePath: log + "/" + name)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
      }
      func remedies() throws -> [String] {
        try Engine.diagnose(store: fleet.devices.path("a"), environment: fleet.environment)
          .filter { $0.path?.hasPrefix(log + "/") ?? false }.map(\.remedy)
      }
      #expect(try remedies().allSatisfy { $0.contains("`tributary sync --reseed` on that device") })
      fleet.drop("c")
      _ = try fleet["a"].retire("c")
      #expect(
        try remedies() == [
          "wait for the carrier, or delete the file: a baseline has what was in it"
        ]
      )
    }
  }
}
