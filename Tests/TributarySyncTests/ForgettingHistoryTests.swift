import Testing
import TributaryTesting

/// Random histories of devices that forget what lies beneath a horizon, against the plain definition of the merge,
/// which forgets nothing.
struct ForgettingHistoryTests {
  @Test(arguments: Soak.parts(4), [false, true])
  func `devices that forget hold what the definition says`(part: UInt64, constrained: Bool) throws {
    for seeds in Soak.seeds(part: part, of: 4, otherwise: 10) {
      try withSeeds(seeds, filter: "TributarySyncTests.ForgettingHistoryTests") { random in
        try HistoryTests.live(seed: random.seed, constrained: constrained, forgetting: true)
        Soak.didFinish("ForgettingHistoryTests")
      }
    }
  }
}
