import Testing
import TributarySimulation
import TributaryStore
import TributaryTesting

/// Random histories of several devices against the plain definition of the merge.
struct HistoryTests {
  /// In one run; more with `tools/soak`.
  static let seedsPerPart: UInt64 = 6

  static let parts: UInt64 = 8

  @Test(arguments: Soak.parts(Self.parts))
  func `devices hold what the definition says, whatever the carrier does`(part: UInt64) throws {
    for seeds in Soak.seeds(part: part, of: Self.parts, otherwise: Self.seedsPerPart) {
      try withSeeds(seeds, filter: "TributarySyncTests.HistoryTests") { random in
        try Self.live(seed: random.seed)
        Soak.didFinish("HistoryTests")
      }
    }
  }

  /// - Returns: how many inserts made a row that was there.
  @discardableResult
  static func live(
    seed: UInt64, constrained: Bool = false, others: CaptureMethod? = nil
  ) throws -> Int {
    try Fleet.live(
      SimulationPlan(historyOf: seed, constrained: constrained, others: others)
        .onVariousFileSystems()
    ).joinedCount
  }
}
