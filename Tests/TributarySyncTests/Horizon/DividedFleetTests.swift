import Testing
import TributarySimulation
import TributaryTesting

/// Copies of one store that each agree on horizons with themselves alone.
struct DividedFleetTests {
  /// A copy that could not see that it was one waited for ever for what the original had forgotten.
  @Test(arguments: Soak.parts(2))
  func `what both of two copies have written is on both devices in the end`(part: UInt64) throws {
    for seeds in Soak.seeds(part: part, of: 2, otherwise: 4) {
      try withSeeds(seeds, filter: "TributarySyncTests.DividedFleetTests") { random in
        try Fleet.live(
          SimulationPlan(dividing: random.seed).onVariousFileSystems(),
          options: SimulationPlan.divisionOptions)
        Soak.didFinish("DividedFleetTests")
      }
    }
  }
}
