import Foundation
import Testing
import TributaryCore
import TributarySync
import TributaryTesting

/// New devices to which a carrier brings the small files first and the baselines later.
struct BeginningTests {
  /// Devices that have forgotten what came first, and `d`, which is attached while the baselines are not there.
  ///
  /// - Parameter body: is given what brings the baselines, cut short or whole.
  private func withNewDevice(
    _ body: (HorizonFleet, (_ missingBytes: Int) throws -> Void) throws -> Void
  ) throws {
    try withHorizonFleet { fleet in
      try fleet.settle(rounds: 4)
      let directory = try fleet.directory
      var baselines: [String: Data] = [:]
      for name in ["a", "b", "c"] {
        let folder = directory.baseline(of: fleet.peer(name))
        guard FileManager.default.fileExists(atPath: folder) else { continue }
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
          baselines["\(folder)/\(file)"] = try Data(contentsOf: URL(filePath: "\(folder)/\(file)"))
        }
      }
      #expect(!baselines.isEmpty)
      for path in baselines.keys { try FileManager.default.removeItem(atPath: path) }
      try fleet.attach("d")
      try body(fleet) { missingBytes in
        for (path, bytes) in baselines {
          try bytes.dropLast(missingBytes).write(to: URL(filePath: path), options: .atomic)
        }
      }
    }
  }

  @Test func `a store that has nothing takes a baseline at its next synchronisation`() throws {
    try withNewDevice { fleet, bring in
      _ = try fleet["d"].synchronize()
      #expect(try fleet.rows("d") == [])
      let peer = fleet.peer("d")
      fleet.clock.advance(by: 60_000)
      try bring(0)
      let report = try fleet["d"].synchronize()
      let returned = try #require(report.returned)
      #expect(returned.former == nil)
      #expect(returned.reissued == 0)
      #expect(report.failure == nil)
      #expect(report.delays.isEmpty)
      #expect(fleet.peer("d") == peer)
      #expect(try fleet.segments("d") == [])
      #expect(try fleet.records("d") == [])
      #expect(try fleet.rows("d") == fleet.rows("a"))
      // From then on, it is a member like any other.
      try fleet.write("INSERT INTO t VALUES (100, 'd')", on: "d")
      try fleet.meet()
      try fleet.expectEqual()
    }
  }

  @Test func `a baseline that is still arriving counts as not there`() throws {
    try withNewDevice { fleet, bring in
      try bring(9)
      #expect(try fleet["d"].synchronize().returned == nil)
      #expect(try fleet.rows("d") == [])
      fleet.clock.advance(by: 60_000)
      try bring(0)
      #expect(try fleet["d"].synchronize().returned != nil)
      #expect(try fleet.rows("d") == fleet.rows("a"))
    }
  }
}
