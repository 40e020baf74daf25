internal import TributaryTesting

/// Draws the events of a history: writes, synchronisations, a bad carrier, and everything that a user can do
/// with a store.
struct HistoryMix {
  private(set) var steps: [SimulationStep] = []
  private let devices: Int
  private let isConstrained: Bool
  private let forgets: Bool
  private let patience: Int
  private let care: Int?

  /// Starts with devices that have attached stores.
  init(
    devices: Int, isConstrained: Bool, forgets: Bool, using random: inout SeededGenerator
  ) {
    self.devices = devices
    self.isConstrained = isConstrained
    self.forgets = forgets
    patience = random.pick([1, 2, 2, 3, 5])
    care = random.pick([4, 10, 30, nil])
    for device in 0..<devices { add(.synchronize([]), to: device, using: &random) }
    if forgets { learnEverything(using: &random) }
  }

  private mutating func add(
    _ action: SimulationStep.Action, to device: Int, using random: inout SeededGenerator
  ) {
    steps.append(SimulationStep(device: device, action: action, seed: random.next()))
  }

  mutating func addNext(using random: inout SeededGenerator) {
    let device = random.number(0...devices - 1)
    moveClock(of: device, using: &random)
    if forgets, random.once(in: 12) {
      // All devices promise, obey, write baselines and forget, some more often than others.
      for _ in 0..<random.number(1...3) { learnEverything(using: &random) }
      return
    }
    if forgets, random.once(in: 20) {
      leaveOut(device, using: &random)
      return
    }
    switch random.number(0...39) {
    case 13...14 where isConstrained: add(.settle, to: device, using: &random)
    case 0...14: add(.write(1), to: device, using: &random)
    case 15, 16: add(.write(random.number(2...5)), to: device, using: &random)
    case 17...21: add(.synchronize([]), to: device, using: &random)
    case 22...33:
      carry(using: &random)
      add(.synchronize([]), to: device, using: &random)
    case 36 where isConstrained:
      random.once(in: 2) ? meet(using: &random) : loseParents(using: &random)
    case 34...36: carry(using: &random)
    case 37: add(.verify, to: device, using: &random)
    case 38: add(.rebuild, to: device, using: &random)
    case _ where forgets && !random.once(in: 3): add(.writeBaseline, to: device, using: &random)
    default:
      switch random.number(0...3) {
      case 0: replace(device, using: &random)
      case 1: add(.wipe, to: device, using: &random)
      default: add(.rejoin, to: device, using: &random)
      }
    }
  }

  private mutating func moveClock(of device: Int, using random: inout SeededGenerator) {
    if random.once(in: 15) {
      let step = Int64(random.number(-5_000_000...5_000_000))
      add(.moveClock(step), to: device, using: &random)
    }
  }

  private mutating func carry(using random: inout SeededGenerator) {
    for device in 0..<devices {
      add(.carry(patience: patience, care: care), to: device, using: &random)
    }
    if let care, random.once(in: care) {
      let device = random.number(0...devices - 1)
      add(random.once(in: devices) ? .loseOwnFile : .loseFile, to: device, using: &random)
    }
  }

  /// Loses the store, with what was not published.
  private mutating func replace(_ device: Int, using random: inout SeededGenerator) {
    if random.once(in: 2) {
      add(.synchronize([]), to: device, using: &random)
      if random.once(in: 2) { add(.writeBaseline, to: device, using: &random) }
    }
    add(.replaceStore, to: device, using: &random)
  }

  /// Makes all devices learn everything and then write: each may give the numbers of the same held rows
  /// again.
  private mutating func meet(using random: inout SeededGenerator) {
    learnEverything(using: &random)
    for device in 0..<devices {
      moveClock(of: device, using: &random)
      add(.write(random.number(1...3)), to: device, using: &random)
    }
  }

  private mutating func learnEverything(using random: inout SeededGenerator) {
    for _ in 0..<2 {
      for device in 0..<devices { add(.synchronize([]), to: device, using: &random) }
      add(.carryEverything, to: 0, using: &random)
    }
    for device in 0..<devices { add(.synchronize([]), to: device, using: &random) }
  }

  /// Makes the others agree without one device, which they do not hear from while it goes on writing.
  private mutating func leaveOut(_ device: Int, using random: inout SeededGenerator) {
    let others = (0..<devices).filter { $0 != device }
    add(.retire(device), to: others.randomElement(using: &random) ?? device, using: &random)
    if random.once(in: 4) { return }
    for _ in 0..<3 {
      for other in others {
        if random.once(in: 2) { add(.write(random.number(1...2)), to: other, using: &random) }
        add(.carry(patience: 1, care: nil), to: other, using: &random)
        add(.synchronize([]), to: other, using: &random)
      }
      add(.write(random.number(1...3)), to: device, using: &random)
    }
    // When it comes back, what it has published may or may not have arrived.
    if random.once(in: 2) { add(.synchronize([]), to: device, using: &random) }
    if random.once(in: 2) { carry(using: &random) }
    add(.carryEverything, to: 0, using: &random)
    add(.synchronize([]), to: device, using: &random)
  }

  /// Makes one device delete rows while others refer to them in new rows. Several devices that have learned
  /// of both hold such rows and give their numbers again, while the others keep writing them.
  private mutating func loseParents(using random: inout SeededGenerator) {
    learnEverything(using: &random)
    let loser = random.number(0...devices - 1)
    for device in 0..<devices {
      moveClock(of: device, using: &random)
      for _ in 0..<random.number(1...2) {
        add(.writeFor(device == loser ? .loss : .family), to: device, using: &random)
      }
      add(.synchronize([]), to: device, using: &random)
    }
    add(.carryEverything, to: 0, using: &random)
    for device in 0..<devices where !random.once(in: 4) {
      add(.synchronize([]), to: device, using: &random)
    }
    for _ in 0..<2 {
      for device in 0..<devices {
        moveClock(of: device, using: &random)
        add(.writeFor(random.pick([.family, .family, .change])), to: device, using: &random)
      }
      carry(using: &random)
      for device in 0..<devices where random.once(in: 3) {
        add(.synchronize([]), to: device, using: &random)
      }
    }
  }
}
