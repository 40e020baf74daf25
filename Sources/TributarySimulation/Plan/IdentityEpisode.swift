internal import TributaryTesting

/// An episode of a store and the stores derived from it: several of them live at once, are restored with
/// their clocks far behind, and disappear.
struct IdentityEpisode {
  private(set) var steps: [SimulationStep] = []

  init(devices: Int, using random: inout SeededGenerator) {
    let first = random.number(0...devices - 1)
    var copies = [first]
    add(.write(1), to: first, using: &random)
    add(.synchronize([]), to: first, using: &random)
    add(.backUp, to: first, using: &random)
    for _ in 0..<random.number(2...5) {
      let device = random.pick(copies)
      switch random.number(0...5) {
      case 0, 1:
        let other = random.number(0...devices - 1)
        add(.clone(to: other), to: device, using: &random)
        if !copies.contains(other) { copies.append(other) }
      case 2, 3:
        if random.once(in: 2) {
          let step = random.pick([3_600_000, 31_536_000_000, 315_360_000_000])
          add(.moveClock(-Int64(step)), to: first, using: &random)
        }
        add(.restoreStore(withContainer: random.once(in: 2)), to: first, using: &random)
      case 4: add(.replaceStore, to: device, using: &random)
      default: add(.carry(patience: 1, care: nil), to: device, using: &random)
      }
      for copy in copies where random.once(in: 2) {
        add(.write(random.number(1...2)), to: copy, using: &random)
        if !random.once(in: 3) { add(.synchronize([]), to: copy, using: &random) }
      }
    }
    if random.once(in: 2) { add(.replaceStore, to: random.pick(copies), using: &random) }
  }

  private mutating func add(
    _ action: SimulationStep.Action, to device: Int, using random: inout SeededGenerator
  ) {
    steps.append(SimulationStep(device: device, action: action, seed: random.next()))
  }
}
