internal import TributaryTesting

/// Plans for a store that agrees on horizons only with itself, before and after it is copied.
extension SimulationPlan {
  /// Draws a fleet of two devices. The second continues with a copy of all files of the first. Each writes
  /// and agrees alone for days before they meet.
  package init(dividing seed: UInt64) {
    self.init(seed: seed, options: Self.divisionOptions)
    var random = SeededGenerator(seed: seed ^ 0xD1)
    steps = []
    live(on: 0, using: &random)
    add(.clone(to: 1), to: 0, using: &random)
    for device in [0, 1].shuffled(using: &random) { live(on: device, using: &random) }
  }

  /// The options of these fleets.
  package static var divisionOptions: SimulationOptions {
    var options = SimulationOptions()
    options.forgets = true
    options.hasFaults = false
    options.deviceCount = 2
    return options
  }

  /// Adds some days on which a device writes and receives nothing from others.
  private mutating func live(on device: Int, using random: inout SeededGenerator) {
    for _ in 0..<random.number(1...3) {
      add(.write(random.number(1...3)), to: device, using: &random)
      add(.synchronize([]), to: device, using: &random)
      add(.moveClock(Int64(random.number(20...50)) * 3_600_000), to: device, using: &random)
      add(.synchronize([]), to: device, using: &random)
    }
  }

  private mutating func add(
    _ action: SimulationStep.Action, to device: Int, using random: inout SeededGenerator
  ) {
    steps.append(SimulationStep(device: device, action: action, seed: random.next()))
  }
}
