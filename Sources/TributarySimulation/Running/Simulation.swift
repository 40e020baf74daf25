internal import TributaryContainer
internal import TributaryCore
internal import TributaryStore
internal import TributarySync
internal import TributaryTesting

/// A fleet of devices with real stores that lives through a plan in virtual time.
///
/// Everything happens on one thread, in the order of the plan. Only the plan is random.
package final class Simulation {
  let plan: SimulationPlan
  let options: SimulationOptions
  var generator: HistoryGenerator
  var history = RecordedHistory()
  /// The number of inserts that, in the end, meant an existing row.
  package internal(set) var joinedCount = 0
  var identifiers = ConflictIdentifiers()
  /// Whether a store has left the others' history and reissued what it had beyond it.
  var hasReturned = false
  /// Whether there are, or were, two stores with a common origin.
  var hasDoubles = false
  /// The creation time of the last file that replaced another; the files of the devices were made before.
  var births: Int64 = 1000
  /// With doubles: the commits that must be everywhere in the end.
  var promised: Set<Promise> = []
  /// With doubles: commits of stores that have come back that can no longer be merged. What they wrote was
  /// reissued as part of other commits, which count instead.
  var handedOn: Set<Promise> = []
  /// With doubles: commits of stores that have come back that another store must reissue.
  var owed: Set<Promise> = []
  /// The peers that users have retired.
  var retired: Set<PeerIdentity> = []
  let devices: [SimulatedDevice]
  private(set) var carrier: SimulatedCarrier

  /// The events so far, for finding the cause of a failure.
  package private(set) var trace: [String]
  /// The faults that the fleet was exposed to.
  package private(set) var tally = FaultTally()

  /// Makes a simulation.
  ///
  /// - Parameter directory: an empty directory on a fast file system.
  package init(
    _ plan: SimulationPlan, options: SimulationOptions = SimulationOptions(),
    in directory: String
  ) {
    self.plan = plan
    self.options = options
    generator = HistoryGenerator(plan)
    trace = generator.createStatements
    let generator = generator
    devices = plan.devices.map {
      SimulatedDevice($0, of: plan, in: directory, generator)
    }
    carrier = SimulatedCarrier(disks: [:]) { _ in }
    carrier = SimulatedCarrier(
      disks: Dictionary(uniqueKeysWithValues: devices.map { ($0.number, $0.files.disk) })
    ) { [unowned self] in tally.note($0) }
    carrier.carriesBaselines = plan.forgets
    carrier.withholds = options.sabotage == .undeliveredFile
    for device in devices {
      device.files.disk.ignoresSynchronization = options.sabotage == .ignoredSynchronization
    }
  }

  /// Runs the plan, heals everything, and delivers everything.
  ///
  /// - Throws: `SimulationFailure`.
  package func run() throws {
    defer { for device in devices { device.store.close() } }
    for (index, step) in plan.steps.enumerated() {
      trace.append("\(index): \(step)")
      try carryOut(step)
      try checkAlways()
    }
    trace.append("the end")
    try finish()
  }

  /// Runs the plan, and returns what failed; `nil` if nothing did.
  package func failure() -> SimulationFailure? {
    do {
      try run()
      return nil
    } catch let failure as SimulationFailure {
      return failure
    } catch {
      return SimulationFailure(.errors, "\(type(of: error)): \(error)")
    }
  }

  func note(_ text: String) { trace.append("  " + text) }

  func count(_ kind: String, _ number: Int = 1) { if number > 0 { tally.note(kind, number) } }

  // MARK: Steps

  private func carryOut(_ step: SimulationStep) throws {
    // A step of a device that is no longer in the plan.
    guard let device = devices.first(where: { $0.number == step.device }) else { return }
    var random = SeededGenerator(seed: step.seed)
    for other in devices where !plan.isHistory || other === device {
      // Often at the same time as others, if only the merge is being tested.
      other.clock.advance(by: Int64(random.number(0...(plan.isHistory ? 2 : 2000))))
    }
    if random.once(in: 3) { device.files.disk.flush() }
    switch step.action {
    case .write(let times):
      guard try isReady(device, using: &random) else { return }
      for _ in 0..<times { try write(on: device, using: &random) }
    case .writeFor(let occasion):
      if try isReady(device, using: &random) { try write(on: device, occasion, using: &random) }
    case .synchronize(let faults):
      if device.isOpen {
        try synchronize(device, faults, using: &random)
      } else if device.files.driver.mount != .empty {
        try attach(device, faults, using: &random)
      }
    case .carry(let patience, let care):
      carrier.withdrawn = withdrawn
      carrier.carry(to: device.number, patience: patience, care: care, using: &random)
    case .carryEverything:
      _ = carrier.carryEverything(restoring: true, withdrawn: withdrawn)
    case .moveClock(let milliseconds):
      count("clock moved \(milliseconds < 0 ? "back" : "forwards")")
      device.clock.advance(by: milliseconds)
    case .mount(let point):
      if device.files.driver.mount != point.state { count(point.state.name) }
      device.files.mount(point.state)
    case .flush: device.files.disk.flush()
    case .loseOwnFile: carrier.loseOwn(of: device.number, using: &random)
    case .loseFile:
      count("carrier: a file lost")
      carrier.lose(on: device.number, using: &random)
    case .resurrect: carrier.resurrect(on: device.number, using: &random)
    default: try carryOut(step.action, on: device, using: &random)
    }
  }

  /// Performs an action on a store as a whole.
  private func carryOut(
    _ action: SimulationStep.Action, on device: SimulatedDevice,
    using random: inout SeededGenerator
  ) throws {
    guard try isReady(device, using: &random) else { return }
    switch action {
    case .kill, .powerCut:
      let isKill = if case .kill = action { true } else { false }
      count(isKill ? "killed" : "power cut")
      device.death = (StoreImage(of: device.store.path), isKill ? .kill : .powerCut)
      try recover(device, using: &random)
    case .reopen:
      device.store.close()
      try open(device)
    case .backUp:
      device.backup = (StoreImage(of: device.store.path), DiskSnapshot(of: device.files.disk))
      device.backedUp = device.clock.now
    case .restoreContainer:
      guard let backup = device.backup else { return }
      count("container brought back from a backup")
      carrier.collectAll(using: &random)
      backup.disk.restore(to: device.files.disk, modified: device.clock.now)
    case .restoreStore(let withContainer):
      try restoreStore(of: device, withContainer: withContainer, using: &random)
    case .clone(let number):
      if let other = devices.first(where: { $0.number == number }), other !== device {
        try clone(device, to: other, using: &random)
      }
    case .wipe: try wipe(device, using: &random)
    case .replaceStore: try replaceStore(of: device, using: &random)
    case .rebuild: try rebuild(device)
    case .verify: try verify(device)
    case .settle: try settle(device, using: &random)
    case .rejoin: try rejoin(device, using: &random)
    case .writeBaseline: try writeBaseline(of: device)
    case .retire(let number): try retire(number, by: device, using: &random)
    default: break
    }
  }

  /// Files that writers have removed and do not want back. Once a carrier has brought a file back to the
  /// writer that removed it, the removal no longer applies, as with any carrier that tracks versions.
  var withdrawn: Set<String> {
    let wanted = devices.reduce(into: Set<String>()) { wanted, device in
      guard device.isOpen else { return }
      let own = SimulatedCarrier.peerPath(device.peer) + "/"
      wanted.formUnion(
        device.files.published.keys.filter {
          $0.hasPrefix(own) && !device.files.withdrawn.contains($0)
        })
    }
    return devices.reduce(into: Set()) { withdrawn, device in
      withdrawn.formUnion(device.files.withdrawn.filter { device.files.disk.file($0) == nil })
    }.subtracting(wanted)
  }

  /// Whether the device has a store. It gets one now if it has none yet.
  func isReady(_ device: SimulatedDevice, using random: inout SeededGenerator) throws -> Bool {
    if !device.isOpen, device.isMounted { try attach(device, [], using: &random) }
    return device.isOpen
  }
}

extension HistoryGenerator {
  /// Makes a generator for a plan. Histories have tables of every kind.
  fileprivate init(_ plan: SimulationPlan) {
    let isVaried = plan.isHistory
    let isSpecial = isVaried && plan.isConstrained
    self.init(
      seed: plan.seed, constrained: plan.isConstrained, special: isSpecial, keyless: isVaried,
      positive: isVaried, loose: isSpecial, identified: isVaried)
  }
}
