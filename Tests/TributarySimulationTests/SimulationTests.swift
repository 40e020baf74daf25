import Foundation
import Synchronization
import Testing
import TributaryTesting

/// Fleets of real stores, with everything that can go wrong.
struct SimulationTests {
  /// In one run; more with `tools/soak`.
  static let seedsPerPart: UInt64 = 125
  static let parts: UInt64 = 8

  private static let finished = Mutex<UInt64>(0)

  @Test(arguments: 0..<Self.parts)
  func `every fleet converges, whatever happens to it`(part: UInt64) throws {
    guard chosenSeed == nil || part == 0 else { return }
    for seeds in Soak.seeds(part: part, of: Self.parts, otherwise: Self.seedsPerPart) {
      try withSeeds(seeds, filter: "TributarySimulationTests.SimulationTests") { random in
        try Fleet.live(SimulationPlan(seed: random.seed))
        Soak.didFinish("SimulationTests")
      }
    }
    guard chosenSeed == nil, finish() == Self.parts else { return }
    let tally = FaultTally.total
    if Soak.minutes != nil || Soak.histories != nil {
      FileHandle.standardError.write(Data("What happened, and how often:\n\(tally.table)\n".utf8))
    }
    // What never happens proves nothing.
    guard Soak.histories.map({ $0 >= 1000 }) ?? true else { return }
    #expect(FaultTally.kinds.subtracting(tally.counts.keys) == [])
  }

  /// - Returns: how many parts have come to their ends.
  private func finish() -> UInt64 {
    Self.finished.withLock { finished in
      finished += 1
      return finished
    }
  }
}
