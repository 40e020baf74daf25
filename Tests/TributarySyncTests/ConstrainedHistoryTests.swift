import Testing
import TributaryTesting

/// Random histories of several devices over tables with constraints, against the plain definition
/// of the merge.
struct ConstrainedHistoryTests {
  /// In one run; more with `tools/soak --histories`.
  static let seedsPerPart: UInt64 = 16
  static let parts: UInt64 = 2

  @Test(arguments: Soak.parts(Self.parts))
  func `devices show what the definition says, and have its conflicts`(part: UInt64) throws {
    var joined = 0
    for seeds in Soak.seeds(part: part, of: Self.parts, otherwise: Self.seedsPerPart) {
      try withSeeds(seeds, filter: "ConstrainedHistoryTests") { random in
        joined += try HistoryTests.live(seed: random.seed, constrained: true)
        Soak.didFinish("ConstrainedHistoryTests")
      }
    }
    // A single seed need not meet it.
    #expect(chosenSeed != nil || joined > 0)
  }
}
