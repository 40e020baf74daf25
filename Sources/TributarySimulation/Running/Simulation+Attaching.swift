internal import TributaryContainer
internal import TributaryCore
internal import TributaryFiles
internal import TributaryLog
internal import TributaryMerge
internal import TributarySQLite
internal import TributaryStore
internal import TributarySync
internal import TributaryTesting

extension Simulation {
  /// Attaches a store with a new identity, rebuilt from the logs if there are any.
  func attach(
    _ device: SimulatedDevice, _ faults: [PlannedFault], using random: inout SeededGenerator
  ) throws {
    let peer = PeerIdentity.random(using: &random)
    device.files.writers = [peer]
    // A dead mount cannot be distinguished from an empty container before the first visit.
    let faults = faults.filter {
      if case .mountLost(let state) = $0.fault { state.isMounted } else { true }
    }
    prepare(device, faults, random.next())
    var attached: AttachReport?
    do {
      let report = try device.store.attach(
        as: peer, migrating: mayMigrate(device, using: &random))
      note("attached as \(peer): \(report.outcome)")
      if device.files.driver.isDead {
        // Nothing that follows a kill affects anyone; here, a useless file could not be removed.
        settleFaults(of: device)
        try recover(device, using: &random)
      } else {
        attached = report
      }
    } catch {
      note("could not attach: \(error)")
      try check(typed: error)
      try demand(
        .reported, hasHappened(on: device) || !device.isMounted,
        "could not attach without a reason: \(error)")
      if device.files.driver.isDead {
        settleFaults(of: device)
        try recover(device, using: &random)
      } else {
        try demand(
          .reported, !RawFiles.exists(device.store.path), "there is a store after \(error)")
      }
    }
    settleFaults(of: device)
    // It may have been killed right after it had finished.
    guard try device.store.isAttached() else { return }
    if !device.isOpen { try open(device) }
    carrier.writers[device.number] = peer
    if hasDoubles { try keepPromises(of: device) }
    // Anything that does not come from others is on the disk.
    device.durable = device.recorded
    if plan.isHistory, let attached { try check(attached, of: device) }
  }

  /// Whether migrations provide the schema of a store being attached; otherwise, the container does.
  private func mayMigrate(
    _ device: SimulatedDevice, using random: inout SeededGenerator
  ) -> Bool {
    // The tables that a selection names must exist.
    guard plan.isHistory, generator.copies.isEmpty else { return true }
    let hasSchema = carrier.files.contains {
      !$0.isSegment && isWhole(SimulatedCarrier.absolute($0.path), on: device)
    }
    return !hasSchema || random.once(in: 2)
  }

  /// Checks that a new store has everything that has arrived.
  private func check(_ report: AttachReport, of device: SimulatedDevice) throws {
    // It may have arrived before the file that describes the tables.
    if report.outcome == .created { _ = try device.store.synchronize() }
    var known = Knowledge()
    if let path = report.baseline {
      note("beginning with \(path)")
      let settled = try device.store.settled()
      known = settled.isEmpty ? device.store.baselines[path] ?? Knowledge() : settled
    } else {
      try demand(
        .complete, !device.hasBaseline,
        "did not begin with a baseline: \(report.damaged) \(report.notes)")
    }
    try checkImport(by: device, since: known, report.waiting)
    try compare(device)
  }

  func open(_ device: SimulatedDevice) throws {
    try demand(.reopening, "device \(device.number) does not open") { try device.store.open() }
    device.isOpen = true
    device.recorded = try device.store.knowledge()[device.peer]
  }

  // MARK: Faults

  /// Makes faults happen in the next operation.
  func prepare(_ device: SimulatedDevice, _ faults: [PlannedFault], _ seed: UInt64) {
    let number = device.number
    device.files.driver.onFault = { [unowned self, unowned device] fault in
      var random = SeededGenerator(seed: seed)
      switch fault {
      case .kill, .powerCut: device.death = (StoreImage(of: device.store.path), fault)
      case .carrying:
        carrier.carry(to: number, patience: 2, care: nil, using: &random)
      case .mountLost(let state): device.files.mount(state)
      case .writing: writeWithin(device, using: &random)
      default: break
      }
    }
    device.files.driver.isPublishing = { [unowned device] path in
      device.isOpen && path.hasPrefix(SimulatedCarrier.peerPath(device.peer) + "/log/.tmp-")
    }
    device.files.driver.start(
      faults.map { (at: 1 + $0.position * device.lastCount / 1000, fault: $0.fault) })
  }

  func hasHappened(on device: SimulatedDevice) -> Bool { !device.files.driver.happened.isEmpty }

  /// Ends the period of faults.
  func settleFaults(of device: SimulatedDevice) {
    let driver = device.files.driver
    for fault in driver.happened {
      count(fault.name)
      note("met \(fault.name)")
    }
    if driver.count > 4, !driver.isDead { device.lastCount = driver.count }
    driver.start()
  }

  func check(typed error: any Error) throws {
    switch error {
    case is ContainerError, is FileError, is SyncError, is StoreError, is SQLiteError,
      is MergeError, is LogError:
      break
    case let error as AttachError:
      for refusal in error.refusals { try check(typed: refusal.cause) }
    default: throw SimulationFailure(.errors, "an error of type \(type(of: error)): \(error)")
    }
  }

  /// Restarts a killed process with the files that it left.
  func recover(_ device: SimulatedDevice, using random: inout SeededGenerator) throws {
    guard var death = device.death else { return }
    device.death = nil
    device.store.close()
    device.isOpen = false
    if death.fault == .powerCut {
      death.image.cutPower(after: device.mark, using: &random)
      device.files.disk.cutPower(using: &random)
      device.store.forgetVersions()
    }
    try death.image.restore(to: device.store.path)
    device.files.driver.start()
    guard try device.store.isAttached() else { return }
    if hasDoubles {
      try open(device)
      try recoverPromises(of: device, powerCut: death.fault == .powerCut)
      return
    }
    let before = device.recorded
    let next = device.hasDiedWriting ? before.next : before
    device.hasDiedWriting = false
    try open(device)
    if death.fault == .powerCut {
      note("has \(device.recorded) of \(before) transactions, \(device.durable) durable")
      try demand(
        .lost, device.recorded >= device.durable,
        "device \(device.number) has \(device.recorded) of \(device.durable) durable transactions")
      history.truncate(device.peer, to: device.recorded)
      try absorb(device)
    } else {
      try demand(
        .lost, device.recorded == before || device.recorded == next,
        "device \(device.number) was killed and has \(device.recorded) of \(before) transactions")
      try absorb(device)
    }
    try checkReceipt(of: device)
  }
}
