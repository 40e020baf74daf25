internal import TributaryContainer
internal import TributaryCore
internal import TributaryReplay
internal import TributarySync
internal import TributaryTesting

extension Simulation {
  /// Synchronises, perhaps with faults; a killed process is restarted.
  ///
  /// - Returns: `nil` if it was killed.
  @discardableResult
  func synchronize(
    _ device: SimulatedDevice, _ faults: [PlannedFault] = [], reseeding: Bool = false,
    using random: inout SeededGenerator
  ) throws -> SyncReport? {
    if plan.notesChanges { try device.store.open() }
    sayWriters(on: device)
    let known = try device.store.knowledge()
    let before = try device.store.contents()
    prepare(device, faults, random.next())
    let driver = device.files.driver
    let removed = device.files.withdrawn.count
    let published = device.files.publishers.subtracting(device.store.peers)
    defer { count("compacted segment removed", max(0, device.files.withdrawn.count - removed)) }
    let report: SyncReport
    do {
      report = try device.store.synchronize(reseed: reseeding)
    } catch {
      try check(typed: error)
      try demand(.bounded, !driver.isRunaway, "more than \(FileDriver.operationLimit) operations")
      try demand(.reported, driver.isDead, "device \(device.number) cannot synchronise: \(error)")
      settleFaults(of: device)
      try recover(device, using: &random)
      return nil
    }
    try demand(.bounded, !driver.isRunaway, "more than \(FileDriver.operationLimit) operations")
    let isDead = driver.isDead
    let isClean = driver.happened.isEmpty && device.isMounted
    let hasWritten = driver.happened.contains(.writing)
    let hasLost = !driver.happened.isEmpty
    settleFaults(of: device)
    if isDead {
      try recover(device, using: &random)
      return nil
    }
    note(
      "\(device.number) published \(report.published.transactions), imported \(report.imported.peers), waiting "
        + "\(report.waiting), damaged \(report.damaged), failure \(report.failure as Any)")
    if plan.forgets { note(try device.store.horizons()) }
    for peer in device.files.publishers.subtracting(published).sorted()
    where !device.store.peers.contains(peer) && report.renewal?.peer != peer {
      note("issues again what was written as \(peer)")
      count("branch issued again by another than its store")
    }
    if let renewal = report.renewal {
      note(
        "leaves \(renewal.former) after \(renewal.last), issues \(renewal.reissued) again: "
          + renewal.evidence)
    }
    if let returned = report.returned {
      try recordReturn(of: device, returned, report, since: known)
    }
    try absorb(device)
    if let failure = report.failure { try check(typed: failure) }
    if !hasWritten, !report.imported.mayHaveChangedEverything {
      try checkTold(report.imported, before: before, after: try device.store.contents())
    }
    if !hasDoubles, report.returned == nil { try checkCount(report, of: device, since: known) }
    try sabotage(device, report)
    if !hasLost { try checkFailure(report, of: device) }
    if isClean { try checkClean(report, of: device, since: known, before) }
    if random.once(in: 2) || plan.isHistory && plan.isConstrained { try compare(device) }
    return report
  }

  /// Sets the identities under which a device may write in the next operation.
  func sayWriters(on device: SimulatedDevice) {
    // After reissuing what it has published under another identity, it withdraws the original.
    device.files.mayBeRenewed = hasDoubles || plan.forgets
    device.files.mayAdopt = hasDoubles
    device.files.mayReturn = plan.forgets
    device.files.writers = hasDoubles ? Set(device.store.peers) : [device.peer]
  }

  private func checkCount(
    _ report: SyncReport, of device: SimulatedDevice, since known: Knowledge
  ) throws {
    try demand(
      .identity, try device.store.identity() == device.peer,
      "device \(device.number) has taken another identity without a reason")
    let imported = try device.store.knowledge().entries.filter { $0.peer != device.peer }
      .reduce(0) { $0 + $1.sequence.rawValue - known[$1.peer].rawValue }
    try demand(
      .recorded, report.imported.transactions == Int(imported),
      "told of \(report.imported.transactions) imported transactions instead of \(imported)")
  }

  /// Checks that a container is reported if it is unavailable, or if it cannot be written although there is
  /// something to publish.
  private func checkFailure(_ report: SyncReport, of device: SimulatedDevice) throws {
    let mount = device.files.driver.mount
    let isAway = !mount.isMounted || mount == .denied || mount == .stale
    let cannotPublish = !device.isMounted && report.published.transactions == 0
    let unpublished = device.recorded > (try device.store.lastPublished())
    try demand(
      .reported, report.failure != nil || !(isAway || cannotPublish && unpublished),
      "device \(device.number) finds its \(mount.name), and reports no failure")
  }

  /// Checks that, without obstacles, everything that has arrived is imported, and everything missing is
  /// named.
  private func checkClean(
    _ report: SyncReport, of device: SimulatedDevice, since known: Knowledge,
    _ before: ReferenceContents
  ) throws {
    if let failure = report.failure {
      if try isIncomparable(failure, of: device, since: known, before) { return }
      let code = (failure as? ContainerError)?.code
      // It may have to wait for what it has forgotten, or for what only its original had.
      if hasDoubles, let code = (failure as? SyncError)?.code,
        code == .forked || code == .logsMissing
      {
        return
      }
      // To come back, a store needs what it has imported and others have not.
      if plan.forgets, (failure as? SyncError)?.code == .logsMissing,
        try !hasLogs(of: device.store.knowledge(), device)
      {
        return
      }
      try demand(
        .reported, code == .wiped && !device.hasDirectory,
        "device \(device.number) fails without a reason: \(failure)")
      return
    }
    for (path, reason) in report.damaged {
      try demand(
        .reported, !isWhole(path, on: device), "\(path) is whole, and reported: \(reason)")
    }
    if !hasDoubles, report.returned == nil {
      try checkImport(by: device, since: known, report.waiting, report.damaged)
    }
  }

  /// Whether a synchronisation has failed because another program has written and the logs for comparing its
  /// tables are missing. It has then changed nothing. A statement that fails halfway also writes pages,
  /// without appending to a journal.
  private func isIncomparable(
    _ failure: any Error, of device: SimulatedDevice, since known: Knowledge,
    _ before: ReferenceContents
  ) throws -> Bool {
    guard device.store.hasOthers, (failure as? SyncError)?.code == .logsMissing,
      !hasLogs(of: known, device)
    else { return false }
    try demand(
      .reported, try device.store.knowledge() == known, "imported although it failed: \(failure)")
    let difference = try device.store.contents().difference(from: before)
    try demand(.reported, difference.isEmpty, "changed although it failed: \(difference)")
    return true
  }

  /// Whether a device has a published file intact.
  func isWhole(_ path: String, on device: SimulatedDevice) -> Bool {
    guard let bytes = device.files.disk.bytes(path) else { return false }
    return devices.contains { $0.files.published[path] == bytes }
  }

  /// Checks that exactly those transactions are known that have arrived together with everything they depend
  /// on.
  func checkImport(
    by device: SimulatedDevice, since known: Knowledge, _ waiting: [Waiting],
    _ damaged: [(path: String, reason: String)] = []
  ) throws {
    // Merging may need old files that an accident has removed.
    if waiting.contains(where: \.isOfPast) { return }
    let isHere = transactions(on: device)
    let expected = history.importable(
      from: known, available: isHere, admits: try device.store.admission())
    let now = try device.store.knowledge()
    try demand(
      .complete, now == expected,
      "device \(device.number) knows \(now.entries) instead of \(expected.entries); waiting "
        + "\(waiting), damaged \(damaged)")
  }

  /// Whether the logs of everything that a store knows about others are on its device.
  func hasLogs(of known: Knowledge, _ device: SimulatedDevice) -> Bool {
    let isHere = transactions(on: device)
    // What was forgotten is in baselines, as long as they are there.
    let settled = (try? device.store.settled()) ?? Knowledge()
    guard settled.isEmpty || carrier.hasBaselines(on: device.number) else { return false }
    return known.entries.allSatisfy { entry in
      entry.peer == device.peer || entry.sequence <= settled[entry.peer]
        || (settled[entry.peer].rawValue..<entry.sequence.rawValue).allSatisfy {
          isHere(entry.peer, SequenceNumber($0 + 1))
        }
    }
  }

  /// Returns a function that says whether a transaction is in an intact segment on a device.
  private func transactions(
    on device: SimulatedDevice
  ) -> (PeerIdentity, SequenceNumber) -> Bool {
    let segments = device.files.disk.paths(below: SimulatedDisk.container).filter {
      isWhole($0, on: device)
    }.compactMap { path -> (peer: String, sequences: ClosedRange<UInt64>)? in
      guard let name = SegmentName(path.lastPathComponent),
        let peer = ArchivedFile.peerName(of: path)
      else { return nil }
      return (peer, name.first.rawValue...name.last.rawValue)
    }
    return { peer, sequence in
      let name = peer.description
      return segments.contains { $0.peer == name && $0.sequences.contains(sequence.rawValue) }
    }
  }

  /// Checks that an import reported every row that it has changed.
  private func checkTold(
    _ imported: SyncReport.Imported, before: ReferenceContents, after: ReferenceContents
  ) throws {
    for table in generator.schema.tables {
      var told: Set<ReferenceKey> = []
      for entry in imported.changes where entry.table == table.name {
        for list in [entry.changes.inserted, entry.changes.updated, entry.changes.deleted] {
          told.formUnion(list.keys.map(table.canonical))
        }
      }
      func untold(_ contents: ReferenceContents) -> ReferenceContents {
        var rest = ReferenceContents()
        rest.tables[table.name] = contents.tables[table.name, default: [:]].filter {
          !told.contains($0.key)
        }
        return rest
      }
      let difference = untold(after).difference(from: untold(before))
      try demand(.recorded, difference.isEmpty, "changed without telling: \(difference)")
    }
  }
}

extension Waiting {
  /// Whether merging it needs old files that an accident has removed, or a baseline that has not arrived, or
  /// whether it is kept out until a promise ends.
  fileprivate var isOfPast: Bool {
    switch reason {
    case .history, .fenced, .baseline: true
    default: false
    }
  }
}
