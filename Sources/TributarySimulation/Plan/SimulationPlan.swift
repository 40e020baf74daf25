internal import TributaryStore
internal import TributarySync
internal import TributaryTesting

/// A fleet and everything that will happen to it. A seed stands for such a plan.
package struct SimulationPlan: Sendable {
  package struct Device: Sendable {
    package var number: Int
    /// The time of its clock at the start, in milliseconds since 1970.
    var time: UInt64
    var seed: UInt64
    /// How the writes of programs that do not know the store are captured; `nil` if there are none.
    var others: CaptureMethod?
    /// Whether the store imports in batches of a few rows, assembling one while another is written.
    var readsAhead = false
  }

  package var seed: UInt64
  /// Whether it is a history: instead of faults, its devices have tables of every kind, and everything that a
  /// user can do with stores is done with theirs.
  var isHistory = false
  /// Whether the devices agree on horizons, and forget and remove what is below them.
  var forgets = false
  /// Whether file systems note each change of a directory, as local ones do, and each synchronisation is a
  /// separate session, as with the command. Stores can then skip what the last session has seen.
  package var notesChanges = false
  /// Whether each store reads only the parts of receipts that concern it, as stores with many peers do.
  var limitsReceipts = false
  /// Whether the tables have constraints.
  var isConstrained: Bool
  /// How segments are divided and compacted, chosen so that this happens often.
  var segments = SegmentPolicy()
  /// How long, in milliseconds, stores wait before they reissue a branch without an owner.
  var branchPatience: UInt64
  /// Whether that time passes in the end, without a request to reissue the branch at once.
  var isPatient: Bool
  package var devices: [Device]
  package var steps: [SimulationStep]

  /// Draws a fleet and its history.
  package init(seed: UInt64, options: SimulationOptions = SimulationOptions()) {
    var random = SeededGenerator(seed: seed)
    self.seed = seed
    forgets = options.forgets
    isConstrained = random.once(in: 2)
    let count =
      options.deviceCount
      ?? random.pick([2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, random.once(in: 4) ? 20 : 7])
    devices = (0..<count).map { number in
      let years = random.pick([0, 0, 0, 0, 1, 10, -10, -40])
      let wrong = Int64(years) * 31_536_000_000 + Int64(random.number(0...5000))
      return Device(number: number, time: UInt64(1_700_000_000_000 + wrong), seed: random.next())
    }
    steps = []
    // A separate generator, so that older seeds keep their meaning.
    var other = SeededGenerator(seed: seed ^ 0xB4A9C4)
    branchPatience = other.pick([0, 5000, 86_400_000])
    isPatient = other.once(in: 2)
    segments.byteLimit = Int64(random.pick([400, 1000, 4000]))
    segments.fanIn = random.number(2...4)
    segments.graceMilliseconds = Int64(random.pick([0, 1000, 5000, 20_000]))
    segments.removalLimit = random.number(1...4)
    var mix = StepMix(devices: count, options: options, using: &random)
    let total = random.number(15...45) + count
    for _ in 0..<total { steps.append(mix.next(using: &random)) }
    guard options.hasIdentityFaults, other.once(in: 4) else { return }
    let episode = IdentityEpisode(devices: count, using: &other)
    var position = other.number(0...steps.count / 2)
    for step in episode.steps {
      position = other.number(position...min(steps.count, position + 3))
      steps.insert(step, at: position)
      position += 1
    }
  }

  /// Returns the plan with file systems that note changes if the seed is even. In half of these fleets, the stores
  /// read as little of receipts as with many peers.
  package func onVariousFileSystems() -> SimulationPlan {
    var plan = self
    plan.notesChanges = seed.isMultiple(of: 2)
    plan.limitsReceipts = seed.isMultiple(of: 4)
    return plan
  }
}
