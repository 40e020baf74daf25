package import TributaryStore
internal import TributaryTesting

extension SimulationPlan {
  /// Draws a history with no faults except those of carriers.
  ///
  /// - Parameters:
  ///   - isConstrained: whether the tables have constraints; otherwise, they have columns of any types.
  ///   - others: whether programs that do not know the stores also write to some of them, and how this is
  ///     detected.
  ///   - forgets: whether the devices forget what is below horizons that they agree on.
  package init(
    historyOf seed: UInt64, constrained isConstrained: Bool = false,
    others capture: CaptureMethod? = nil, forgetting forgets: Bool = false
  ) {
    var random = SeededGenerator(seed: seed)
    self.seed = seed
    isHistory = true
    self.forgets = forgets
    self.isConstrained = isConstrained
    branchPatience = 0
    isPatient = false
    // What carriers have seen stays; fleets with faults compact their segments.
    segments.fanIn = .max
    segments.removalLimit = forgets ? 4 : 0
    segments.graceMilliseconds = 0
    let count = random.pick(isConstrained ? [2, 2, 2, 3, 3, 3, 4, 5, 6] : [2, 2, 3, 3, 4, 5, 6])
    devices = (0..<count).map { number in
      let offset = random.pick([0, 0, 50, 3_600_000, 86_400_000 * 3650])
      return Device(
        number: number, time: 1_700_000_000_000 + UInt64(random.number(0...offset)),
        seed: random.next(),
        others: number == 0 || random.once(in: 2) ? capture : nil, readsAhead: number == 3)
    }
    var mix = HistoryMix(
      devices: count, isConstrained: isConstrained, forgets: forgets, using: &random)
    // Many short histories find more than few long ones.
    for _ in 0..<(isConstrained ? random.number(10...40) : random.number(20...60)) {
      mix.addNext(using: &random)
    }
    steps = mix.steps
  }
}
