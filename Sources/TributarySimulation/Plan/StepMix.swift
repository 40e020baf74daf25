import Glibc
internal import TributaryTesting

/// How often each kind of event happens in a simulation: some carriers are careful, and some
/// systems are stable.
struct StepMix {
  private let devices: Int
  private let options: SimulationOptions
  private let patience: Int
  private let care: Int?
  /// One step in this many is a fault.
  private let stability: Int
  private let hasIdentityFaults: Bool

  init(devices: Int, options: SimulationOptions, using random: inout SeededGenerator) {
    self.devices = devices
    self.options = options
    patience = random.pick([1, 1, 2, 2, 3])
    care = options.hasFaults ? random.pick([nil, 30, 10, 4]) : nil
    stability = random.pick([3, 4, 6, 10])
    hasIdentityFaults = options.hasIdentityFaults && random.once(in: 2)
  }

  /// The devices that have a backup.
  private var backedUp: [Int] = []

  mutating func next(using random: inout SeededGenerator) -> SimulationStep {
    var device = random.number(0...devices - 1)
    var action =
      options.hasFaults && random.once(in: stability)
      ? fault(using: &random) : ordinary(using: &random)
    switch action {
    case .backUp: backedUp.append(device)
    case .restoreContainer, .restoreStore:
      // Without a backup, there is one from now on.
      if let old = backedUp.randomElement(using: &random) {
        device = old
      } else {
        action = .backUp
        backedUp.append(device)
      }
    default: break
    }
    if options.forgets, random.once(in: 10) {
      action = random.once(in: 2) ? .writeBaseline : .retire(random.number(0...devices - 1))
    }
    return SimulationStep(device: device, action: action, seed: random.next())
  }

  private func ordinary(using random: inout SeededGenerator) -> SimulationStep.Action {
    switch random.number(0...9) {
    case 0...2: .write(1)
    case 3: .write(random.number(2...4))
    case 4...6: .synchronize([])
    default: .carry(patience: patience, care: care)
    }
  }

  private func fault(using random: inout SeededGenerator) -> SimulationStep.Action {
    switch random.number(0...25) {
    case 0...9: .synchronize(faults(using: &random))
    case 10, 11: .mount(MountPoint(state: random.pick(MountState.allCases)))
    case 12: .mount(MountPoint(state: .normal))
    case 13: .moveClock(clockStep(using: &random))
    case 14: .kill
    case 15: .powerCut
    case 16: random.once(in: 2) ? .flush : .reopen
    case 17: random.once(in: 3) ? .backUp : .restoreContainer
    case 18: .restoreContainer
    case 19: random.once(in: 2) ? .loseOwnFile : .loseFile
    case 20: .resurrect
    case 21: random.once(in: 2) ? .wipe : .resurrect
    case 22: random.once(in: 2) ? .replaceStore : .verify
    case 23: .rebuild
    default: identityFault(using: &random)
    }
  }

  private func identityFault(using random: inout SeededGenerator) -> SimulationStep.Action {
    guard hasIdentityFaults else { return .synchronize(faults(using: &random)) }
    return switch random.number(0...3) {
    case 0: .backUp
    case 1: .clone(to: random.number(0...devices - 1))
    default: .restoreStore(withContainer: random.once(in: 2))
    }
  }

  private func clockStep(using random: inout SeededGenerator) -> Int64 {
    Int64(random.pick([-1, 1]))
      * Int64(random.pick([500, 60_000, 7_200_000, 86_400_000, 31_536_000_000, 315_360_000_000]))
  }

  private func faults(using random: inout SeededGenerator) -> [PlannedFault] {
    (0..<random.pick([1, 1, 1, 2, 3])).map { _ in
      PlannedFault(position: random.number(0...1100), fault: fileFault(using: &random))
    }
  }

  private func fileFault(using random: inout SeededGenerator) -> FileFault {
    switch random.number(0...14) {
    case 0...2: .failure(random.pick(FileFault.codes))
    case 3...4: .failures(random.pick(FileFault.codes))
    case 5: .shortReads
    case 6: .shortWrite
    case 7, 8: .kill
    case 9, 10: .powerCut
    case 11: .mountLost(random.pick(MountState.allCases.filter { $0 != .normal }))
    case 12, 13: .writing
    default: .carrying
    }
  }
}
