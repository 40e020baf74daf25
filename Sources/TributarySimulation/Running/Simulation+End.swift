internal import TributaryContainer
internal import TributaryCore
internal import TributaryFiles
internal import TributaryReplay
internal import TributarySync
internal import TributaryTesting

extension Simulation {
  /// Heals everything, delivers everything, and checks everything.
  func finish() throws {
    var random = SeededGenerator(seed: plan.seed ^ 0x5EED)
    for device in devices {
      device.files.mount(.normal)
      try demand(
        .reported, try isReady(device, using: &random), "device \(device.number) has no store")
    }
    let reports = try deliverEverything(using: &random)
    for (device, report) in zip(devices, reports) {
      let waiting = report.waiting.filter { !isLeftBehind($0, report) }
      let damaged = report.damaged.filter { !isWithoutOwner($0.path) }
      try demand(
        .complete, waiting.isEmpty && damaged.isEmpty && report.failure == nil,
        "device \(device.number) in the end: waiting \(waiting), damaged \(damaged), "
          + "failure \(report.failure as Any)")
    }
    if hasDoubles { try checkPromises(reports) }
    let all =
      hasDoubles || hasReturned ? try devices[0].store.knowledge() : history.knowledge
    if plan.isHistory { joinedCount = expected(of: history.known(all)).joinedCount }
    for device in devices {
      let known = try device.store.knowledge()
      try demand(
        .lost, known == all,
        "device \(device.number) knows \(known.entries) of \(all.entries) in the end")
      try compare(device, conflicts: true)
      try checkReceipt(of: device)
      try checkManifest(of: device, all)
    }
    let digests = try devices.map { try $0.store.digest() }
    try demand(.digests, Set(digests).count <= 1, "the digests differ: \(digests)")
    try checkRest(using: &random)
    if let device = devices.randomElement(using: &random) {
      try verify(device)
      if random.once(in: 3) { try rebuild(device) }
    }
  }

  /// Whether a file is the `peer.json` of an identity that no store has any more, so that no store rewrites
  /// it.
  private func isWithoutOwner(_ path: String) -> Bool {
    guard path.lastPathComponent == PeerManifest.fileName,
      let peer = PeerIdentity(hex: path.parentDirectory.lastPathComponent)
    else { return false }
    return !devices.contains { $0.peer == peer }
  }

  /// Whether only its author's store could reissue it, and that store is lost: the transaction does not pass,
  /// or it waits for one that does not pass, or for one that only its author has forgotten.
  func isLeftBehind(_ waiting: Waiting, _ report: SyncReport) -> Bool {
    guard plan.forgets, !devices.contains(where: { $0.peer == waiting.peer }) else { return false }
    switch waiting.reason {
    case .fenced: return true
    case .transaction(let peer, let sequence):
      return peer == waiting.peer
        || report.outside.contains {
          $0.peer == peer && $0.sequence <= sequence && isLeftBehind($0, report)
        }
    default: return false
    }
  }

  /// Whether a transaction that its author can still reissue is kept out of a store.
  private func isShutOut(_ report: SyncReport) -> Bool {
    report.waiting.contains { waiting in
      if case .fenced = waiting.reason { !isLeftBehind(waiting, report) } else { false }
    }
  }

  /// Whether a transaction is kept out that only a lost store could reissue.
  private func hasLeftBehind(_ report: SyncReport) -> Bool {
    report.waiting.contains { waiting in
      if case .fenced = waiting.reason { isLeftBehind(waiting, report) } else { false }
    }
  }

  /// Makes a user retire all lost stores that others still ask for promises, or whose last transactions no
  /// store can import any more.
  private func retireLost() throws {
    let lost = Set(carrier.files.compactMap(\.peer))
      .subtracting(devices.map(\.peer))
    for peer in lost.sorted() { try retire(peer, by: devices[0]) }
  }

  /// Synchronises all devices in turn until there is nothing left to do.
  private func deliverEverything(using random: inout SeededGenerator) throws -> [SyncReport] {
    var reports: [SyncReport] = []
    // Everything starts over once lost stores are no longer asked.
    var hasRetired = false
    for round in 0...2 * Self.roundLimit {
      let changes = devices.map(\.files.changeCount)
      // Promises that lost stores cannot give shut out others until a user retires the lost stores. The
      // device that declares them gone reissues what they had published before the others agreed.
      if plan.forgets, round == 4,
        reports.contains(where: { isShutOut($0) || hasLeftBehind($0) })
      {
        try retireLost()
        hasRetired = true
      }
      reports = []
      var hasRebuilt = false
      // Others no longer wait for a store that has not reissued what only it can reissue.
      if hasDoubles, plan.isPatient, round == 3 {
        for device in devices { device.clock.advance(by: Int64(plan.branchPatience)) }
      }
      // Stores no longer wait for logs that no one can bring back.
      if plan.forgets, round == 3 {
        for device in devices {
          device.clock.advance(by: Int64(HorizonPolicy.eager.lossPatience))
        }
      }
      for device in devices {
        // What was compacted has been removed by now, and proposals may be made without the stores that are
        // gone.
        device.clock.advance(by: max(1, plan.segments.graceMilliseconds))
        // What no one will bring back is published again on request.
        let report = try synchronize(
          device,
          reseeding: round > 0 && !device.hasDirectory
            || round == 4 && hasDoubles && !plan.isPatient,
          using: &random)
        // The user must request this if a copy's transactions were imported.
        if hasDoubles, round > 1, let report,
          report.waiting.contains(where: { !isLeftBehind($0, report) })
        {
          try rebuild(device)
          hasRebuilt = true
        }
        reports.append(report ?? SyncReport())
      }
      let hasCarried = carrier.carryEverything(restoring: round == 0, withdrawn: withdrawn)
      let isPatient = hasDoubles || plan.forgets && reports.contains { !$0.waiting.isEmpty }
      if !hasCarried, !hasRebuilt, round > (isPatient ? 4 : 0),
        changes == devices.map(\.files.changeCount),
        reports.allSatisfy({ $0.imported.transactions == 0 }),
        try devices.allSatisfy({ try !$0.store.hasRemovals() })
      {
        break
      }
      try demand(
        .quiet,
        round
          < (plan.isHistory && !plan.forgets
            ? 2 : hasDoubles || hasRetired ? 2 * Self.roundLimit : Self.roundLimit),
        "never at rest: \(reports)")
    }
    return reports
  }

  /// All publish; all import, and say so; then all have everything. The remaining rounds are for what had to
  /// be published again: once for that itself, and once for what it makes others publish.
  private static let roundLimit = 12

  /// Checks that no device writes any file or row once everything is everywhere.
  private func checkRest(using random: inout SeededGenerator) throws {
    for device in devices {
      device.clock.advance(by: plan.segments.graceMilliseconds)
      let changes = device.files.changeCount
      if plan.notesChanges { try takeNotes(device, using: &random) }
      let before = StoreImage(of: device.store.path)
      var report = try synchronize(device, using: &random)
      if let found = report { report?.waiting.removeAll { isLeftBehind($0, found) } }
      report?.damaged.removeAll { isWithoutOwner($0.path) }
      report?.arriving.removeAll { isWithoutOwner($0.path) }
      try demand(
        .quiet, report?.isEmpty ?? false, "did something with nothing to do: \(report as Any)")
      try demand(
        .quiet, device.files.changeCount == changes, "wrote to the container with nothing to say")
      try demand(
        .quiet, StoreImage(of: device.store.path) == before, "wrote to the store with nothing to do"
      )
    }
  }

  /// Lets sessions record in the store what they have found out, until one has nothing to record. Each may
  /// read another baseline to its end, remembers that it was intact, and leaves a mark, which is in the file
  /// once the session ends.
  private func takeNotes(
    _ device: SimulatedDevice, using random: inout SeededGenerator
  ) throws {
    for _ in 0..<Self.roundLimit {
      let before = StoreImage(of: device.store.path)
      try synchronize(device, using: &random)
      if StoreImage(of: device.store.path) == before { return }
    }
  }
}

extension Waiting {
  /// The first transaction of its author that has not been imported, as far as it says.
  var firstLeft: SequenceNumber {
    if case .transaction(let peer, let sequence) = reason, peer == self.peer {
      min(sequence, self.sequence)
    } else {
      sequence
    }
  }
}
