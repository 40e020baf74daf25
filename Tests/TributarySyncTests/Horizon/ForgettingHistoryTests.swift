import Testing
import TributaryTesting

/// Random histories of devices that agree on horizons, forget what lies beneath and remove it, against the plain
/// definition of the merge, which forgets nothing.
struct ForgettingHistoryTests {
  @Test(arguments: Soak.parts(4), [false, true])
  func `devices that forget hold what the definition says`(part: UInt64, constrained: Bool) throws {
    for seeds in Soak.seeds(part: part, of: 4, otherwise: 10) {
      try withSeeds(seeds, filter: "TributarySyncTests.ForgettingHistoryTests") { random in
        try Fleet.live(
          SimulationPlan(historyOf: random.seed, constrained: constrained, forgetting: true))
        Soak.didFinish("ForgettingHistoryTests")
      }
    }
  }
}
