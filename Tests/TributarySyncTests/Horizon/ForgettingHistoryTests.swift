import Testing
import TributarySimulation
import TributaryTesting

/// Random histories of devices that agree on horizons, forget what lies beneath and remove it, against the plain
/// definition of the merge, which forgets nothing.
struct ForgettingHistoryTests {
  @Test(arguments: Soak.parts(4), [false, true])
  func `devices that forget hold what the definition says`(part: UInt64, constrained: Bool) throws {
    for seeds in Soak.seeds(part: part, of: 4, otherwise: 1) {
      try withSeeds(seeds, filter: "TributarySyncTests.ForgettingHistoryTests") { random in
        try Fleet.live(
          SimulationPlan(historyOf: random.seed, constrained: constrained, forgetting: true)
            .onVariousFileSystems())
        Soak.didFinish("ForgettingHistoryTests")
      }
    }
  }

  /// Logs that a store needed had been removed on purpose; a copy of the devices' only baseline was damaged; a promise
  /// outlived what had made it void, since the author had come back; triggers lost their OR clauses; a conflict from before
  /// the horizon ended because its row was read again; logs were lost that only the heavier side of two had imported, or
  /// files that show whether a horizon is possible; a return was taken for one to a later horizon; promises that lost stores
  /// could not give kept out what another wrote until these were retired. Two rows that were issued again got one positive
  /// number; rows that got other numbers left their conflicts from before the horizon behind; a device joined logs above a
  /// horizon that nothing declared; a store that had come back twice forgot its first horizon; the
  /// damaged header of a file named another author; what a retired peer had written was kept out without a word by a promise
  /// that a lost store could not give; a header that was read from a damaged file counted for the whole one in its place;
  /// one that had arrived whole since was still called damaged; nobody replaced one that was damaged.
  @Test(
    .enabled(if: chosenSeed == nil, "another seed was chosen"),
    arguments: Soak.once(
      [
        (21, false), (49, false), (62, false), (90, false), (135, false), (266, false),
        (317, false),
        (355, false), (417, false), (472, false), (111, false), (1158, false), (3385, false),
        (2_192_854_568_323_577_175, false), (5_442_830_506_504_535_039, false), (8, true),
        (21, true), (41, true), (313, true), (1033, true), (1136, true), (1292, true),
        (2_192_854_568_323_577_175, true), (2_733_708_858_855_239_704, false),
        (6_115_515_503_099_698_811, true), (381_498_730_055_844_499, true),
        (973_626_663_123_786_950, false),
      ] as [(UInt64, Bool)]))
  func `a history that failed once does not any more`(seed: UInt64, constrained: Bool) throws {
    try Fleet.live(
      SimulationPlan(historyOf: seed, constrained: constrained, forgetting: true))
  }

  /// A row had lost its parent before the horizon; a late segment of an identity that was left waited for removed ones, or
  /// a store that came back did; a file that could not be removed beside a store that comes back ended the synchronisation.
  @Test(
    .enabled(if: chosenSeed == nil, "another seed was chosen"),
    arguments: Soak.once([35, 46, 107, 189, 267, 4_757_226_400_752_983_489] as [UInt64]))
  func `a fleet that failed once does not any more`(seed: UInt64) throws {
    try Fleet.live(
      SimulationPlan(seed: seed, options: Kind.faults.options), options: Kind.faults.options)
  }

  /// Copies of one store gave what they issued again the same times; a store left to nobody what it had written before it
  /// took another identity and came back at once; one that found a former life of its own left the names that it had
  /// declared final.
  @Test(
    .enabled(if: chosenSeed == nil, "another seed was chosen"),
    arguments: [15, 27, 48, 3_340_521_792_935_878_972] as [UInt64])
  func `a fleet with copies that failed once does not any more`(seed: UInt64) throws {
    try Fleet.live(
      SimulationPlan(seed: seed, options: Kind.copies.options), options: Kind.copies.options)
  }

  @Test(arguments: Soak.parts(2), Kind.allCases)
  func `fleets that forget converge, whatever happens to them`(part: UInt64, kind: Kind) throws {
    for seeds in Soak.seeds(part: part, of: 2, otherwise: 3) {
      try withSeeds(seeds, filter: "TributarySyncTests.ForgettingHistoryTests") { random in
        try Fleet.live(
          SimulationPlan(seed: random.seed, options: kind.options).onVariousFileSystems(),
          options: kind.options)
      }
    }
  }

  /// What happens to a fleet.
  enum Kind: CaseIterable {
    /// Accidents of carriers, crashes and errors.
    case faults
    /// Stores are copied, restored and lost.
    case copies

    var options: SimulationOptions {
      var options = SimulationOptions()
      options.forgets = true
      options.hasFaults = self == .faults
      options.hasIdentityFaults = self == .copies
      return options
    }
  }
}
