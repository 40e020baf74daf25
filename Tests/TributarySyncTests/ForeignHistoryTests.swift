import Testing
import TributaryStore
import TributaryTesting

/// The same histories, where programs that know nothing of Tributary write some of the stores too.
struct ForeignHistoryTests {
  static let seedsPerPart: UInt64 = 2
  static let parts: UInt64 = 4

  @Test(arguments: Soak.parts(Self.parts))
  func `triggers capture the net effect of what other programs write`(part: UInt64) throws {
    try live(part, "triggers capture") { try HistoryTests.live(seed: $0, others: .triggers) }
  }

  @Test(arguments: Soak.parts(Self.parts))
  func `what other programs write merges like everything else`(part: UInt64) throws {
    try live(part, "merges like everything") {
      try HistoryTests.live(seed: $0, constrained: true, others: .triggers)
    }
  }

  @Test(arguments: Soak.parts(Self.parts))
  func `what other programs write into stores without triggers is found`(part: UInt64) throws {
    try live(part, "stores without triggers") {
      try HistoryTests.live(seed: $0, constrained: $0 % 2 == 1, others: .hook)
    }
  }

  private func live(
    _ part: UInt64, _ filter: String, _ body: (UInt64) throws -> Void
  ) throws {
    for seeds in Soak.seeds(part: part, of: Self.parts, otherwise: Self.seedsPerPart) {
      try withSeeds(seeds, filter: filter) { random in
        try body(random.seed)
        Soak.didFinish("ForeignHistoryTests")
      }
    }
  }
}
