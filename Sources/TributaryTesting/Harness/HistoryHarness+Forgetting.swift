internal import TributaryContainer
internal import TributaryCore
internal import TributaryHorizon
internal import TributaryLog
internal import TributaryReplay
internal import TributaryStore
internal import TributarySync

extension HistoryHarness {
  /// Makes all devices agree on a horizon, or one of them forget what lies beneath.
  mutating func forget() throws {
    if declaration == nil || random.once(in: 4) { try declare() }
    guard let declaration else { return }
    for device in devices where random.once(in: 2) { try forget(beneath: declaration, device) }
    guard try devices.allSatisfy({ try $0.record().settled == declaration }) else { return }
    try carrier.remove { peer, last in last <= declaration.horizon[peer] }
    trace.append("only authors have segments beneath the horizon")
  }

  /// Declares everything that all devices have after they have met.
  private mutating func declare() throws {
    try learnEverything()
    let horizon = history.knowledge
    for device in devices {
      let known = try device.knowledge()
      guard known == horizon, !isMissingLogs(device), !device.hasOthers else { return }
    }
    let last = try devices.map { try $0.record().state.last?.weight ?? 0 }.max() ?? 0
    var times: [PeerIdentity: HybridTime] = [:]
    for transaction in history.known(horizon) {
      times[transaction.stamp.peer] = max(
        times[transaction.stamp.peer] ?? .zero, transaction.stamp.time)
    }
    let declaration = Declaration(
      weight: last + UInt64(devices.count), members: devices.map(\.peer),
      entries: horizon.entries.map {
        BaselineHeader.Entry(peer: $0.peer, sequence: $0.sequence, time: times[$0.peer] ?? .zero)
      })
    for writer in devices.shuffled(using: &random).prefix(2) {
      try writer.publish(declaration, to: devices, horizon)
    }
    for device in devices {
      try device.obey(declaration)
      device.forgetVersions()
    }
    self.declaration = declaration
    trace.append("the devices declare \(horizon.entries)")
  }

  private mutating func forget(
    beneath declaration: Declaration, _ device: HarnessDevice
  ) throws {
    guard try device.record().settled != declaration else { return }
    trace.append("device \(device.number) forgets what lies beneath the horizon")
    try device.settle(declaration)
    try compare(device)
  }
}

extension HarnessDevice {
  func record() throws -> HorizonRecord { try opened().store.service { try HorizonRecord($0) } }

  /// What the store has forgotten.
  func settled() throws -> Knowledge { try record().settled?.horizon ?? Knowledge() }

  fileprivate func obey(_ declaration: Declaration) throws {
    try opened().store.exchange { connection in
      var record = try HorizonRecord(connection)
      record.state = HorizonState(obeyed: declaration, promises: [], dropped: [])
      try record.write(to: connection)
    }
  }

  fileprivate func settle(_ declaration: Declaration) throws {
    try opened().store.exchange { connection in
      try connection.immediate { try HorizonRecord.settle(declaration, in: connection) }
    }
  }

  /// Writes a baseline that declares what the store has into the containers of all devices.
  fileprivate func publish(
    _ declaration: Declaration, to devices: [HarnessDevice], _ horizon: Knowledge
  ) throws {
    let report = try writeBaseline()
    let name = try ContentName("H")
    func baselines(_ container: String) throws -> BaselineStore {
      BaselineStore(
        ContentDirectory(container: container, root: try ContentRoot("tributary"), name: name),
        peer: peer, using: environment.fileSystem)
    }
    let own = try baselines(container)
    guard let file = try own.names().first(where: { own.path(of: $0) == report.path }) else {
      throw HarnessFailure("no baseline \(report.path)")
    }
    var bytes: [UInt8] = []
    var header = try own.read(file) { bytes.append(contentsOf: $0) }
    header = BaselineHeader(
      peer: peer, databaseSize: header.databaseSize, contentName: header.contentName,
      entries: header.entries, declaration: declaration)
    try own.remove(file)
    for device in devices {
      let there = try baselines(device.container)
      try RawFiles.makeDirectories(there.path)
      var database = MemorySource(bytes)
      let path = there.path(of: try there.publish(header, &database, level: 1))
      device.note(baseline: path, of: horizon)
    }
  }
}

extension ReferenceConflict {
  /// Returns the conflict as devices name it that have forgotten what lies beneath a horizon: one about a whole row
  /// names no transaction of that time.
  func settled(beneath horizon: Knowledge) -> ReferenceConflict {
    guard kind == .unique || kind == .foreignKey else { return self }
    var conflict = self
    conflict.winner = winner.settled(beneath: horizon)
    conflict.loser = loser.settled(beneath: horizon)
    return conflict
  }
}

extension ReferenceSide {
  fileprivate func settled(beneath horizon: Knowledge) -> ReferenceSide {
    guard sequence <= horizon[peer] else { return self }
    return ReferenceSide(
      peer: PeerIdentity(high: 0, low: 0), sequence: .zero, time: .zero)
  }
}
