import Testing
import TributaryTesting

/// The same histories, where programs that know nothing of Tributary write some of the stores too.
struct ForeignHistoryTests {
  static let seedsPerPart: UInt64 = 15
  static let parts: UInt64 = 4

  @Test(arguments: Soak.parts(Self.parts))
  func `triggers capture the net effect of what other programs write`(part: UInt64) throws {
    try live(part, "triggers capture", constrained: false)
  }

  @Test(arguments: Soak.parts(Self.parts))
  func `what other programs write merges like everything else`(part: UInt64) throws {
    try live(part, "merges like everything", constrained: true)
  }

  private func live(_ part: UInt64, _ filter: String, constrained: Bool) throws {
    for seeds in Soak.seeds(part: part, of: Self.parts, otherwise: Self.seedsPerPart) {
      try withSeeds(seeds, filter: filter) { random in
        try HistoryTests.live(seed: random.seed, constrained: constrained, others: true)
        Soak.didFinish("ForeignHistoryTests")
      }
    }
  }
}
