import Foundation
import Synchronization
import Testing
import TributarySimulation
import TributaryTesting

/// Fleets of real stores, with everything that can go wrong.
struct SimulationTests {
  /// In one run; more with `tools/soak`.
  static let seedsPerPart: UInt64 = 15
  static let parts: UInt64 = 8
  /// With these, everything that can happen does in one run.
  static let besides: [UInt64] = [142, 148]

  private static let finished = Mutex<UInt64>(0)

  @Test(arguments: Soak.parts(Self.parts))
  func `every fleet converges, whatever happens to it`(part: UInt64) throws {
    defer { didFinish() }
    for seeds in Soak.seeds(part: part, of: Self.parts, otherwise: Self.seedsPerPart) {
      try live(seeds)
    }
    guard part == 0, chosenSeed == nil, !Soak.isRunning else { return }
    for seed in Self.besides { try live(seed..<seed + 1) }
  }

  private func live(_ seeds: Range<UInt64>) throws {
    try withSeeds(seeds, filter: "TributarySimulationTests.SimulationTests") { random in
      FaultTally.add(
        try Fleet.live(SimulationPlan(seed: random.seed).onVariousFileSystems()).tally)
      Soak.didFinish("SimulationTests")
    }
  }

  /// The first: a changed byte in the header of a segment that had arrived made a store think that
  /// others knew more of it than it did itself. The second: what is durable was counted by the numbers
  /// of an identity that the store had left. The next two: nobody had the identity of a fork any more. The
  /// fifth: a rebuild took the time of a transaction from the wrong one of two logs.
  ///
  /// Those that follow: `attach` failed and left a store; a log that could not be looked at for a moment counted as
  /// none; conflicts were looked for in the files of the other one of two stores (three); nothing stated what a copy had
  /// issued again under an identity that it left at once; what two copies had in common was removed by one of them (two);
  /// two copies left the same transactions to each other; two names of one time had no order; an older file was written
  /// in place under the same size and time; a store that could not take another identity took what others had written
  /// after its namesakes for something written after its own; of three stores of one identity, two left it, and what a
  /// former life of one had written was found behind nothing (two); what two had in common was in files alone that both
  /// had left out (two); what followed the part of a branch that a copy had issued again was left out for ever; where each
  /// of two branches was issued again by somebody else, nobody saw that one splits off the other; a number given
  /// twice was known by its author's former name and by its present one; the container was unmounted just before a store made
  /// the directory of its new identity; a rebuild read another life of an author than the one that was imported; what two
  /// had in common was in left-out files alone, and another file had what came before it; a copy whose log had not arrived
  /// was not known by what it states; a branch was taken for one that follows what a store had issued again under another
  /// identity, and conflicts of own writes were looked for in another life of an author; what own
  /// transactions knew of a log was forgotten by a rebuild if it was known by the log's new name already.
  @Test(
    .enabled(if: chosenSeed == nil, "another seed was chosen"),
    arguments: Soak.once([
      693_097_623_918_982_978, 4_800_464_960_279_868_947, 4_353_924_124_475_228_301,
      7_861_199_124_090_970_458, 112_439_124_631_417_549, 641_900_497_381_248_184,
      5_086_185_635_536_140_896, 4_633_260_785_333_584_141, 1_840_898_827_685_854_770,
      1_165_876_180_376_605_243, 7_105_931_223_480_585_963, 2_055_284_676_703_569_410,
      8_527_351_996_021_152_742, 8_355_948_354_867_115_643, 3_204_752_675_356_485_702,
      5_628_056_462_156_604_378, 4_340_506_792_058_753_895, 8_266_932_682_876_679_834,
      7_237_551_712_019_116_472, 8_269_694_722_805_808_535, 848_994_555_079_659_358,
      8_190_218_532_951_125_988, 5_169_451_000_238_055_272, 720_685_494_899_010_759,
      3_243_760_280_975_699_793, 4_244_990_569_063_524_000, 1_168_939_994_287_201_262,
      1_108_782_198_385_876_333, 7_210_397_501_526_961_363, 1_011_059_094_729_481_888,
    ]))
  func `a fleet that did not converge once does now`(seed: UInt64) throws {
    FaultTally.add(try Fleet.live(SimulationPlan(seed: seed)).tally)
  }

  /// After the last part, says what has happened, and checks that everything has.
  private func didFinish() {
    let finished = Self.finished.withLock { finished in
      finished += 1
      return finished
    }
    guard chosenSeed == nil, finished == Self.parts else { return }
    let tally = FaultTally.total
    if Soak.minutes != nil || Soak.histories != nil {
      FileHandle.standardError.write(Data("What happened, and how often:\n\(tally.table)\n".utf8))
    }
    // What never happens proves nothing.
    guard Soak.histories.map({ $0 >= 1000 }) ?? true else { return }
    #expect(FaultTally.kinds.subtracting(tally.counts.keys) == [])
  }
}
