internal import TributaryCore
internal import TributaryStore
internal import TributarySync
internal import TributaryTesting

/// Devices that others leave out and that come back.
extension Simulation {
  /// Makes the user of a device declare that another device, or a lost store, is gone.
  func retire(
    _ number: Int, by device: SimulatedDevice, using random: inout SeededGenerator
  ) throws {
    guard device.isMounted, device.hasDirectory else { return }
    let lost = history.transactions.keys.filter { peer in
      !devices.contains { $0.isOpen && $0.peer == peer }
    }.sorted()
    let other = devices.first { $0.number == number && $0 !== device && $0.isOpen }?.peer
    guard let peer = random.once(in: 2) ? other : lost.randomElement(using: &random) ?? other else {
      return
    }
    try retire(peer, by: device)
  }

  /// Makes the user of a device declare that a peer is gone.
  func retire(_ peer: PeerIdentity, by device: SimulatedDevice) throws {
    // It may have replaced another.
    if try peer == device.store.identity() { return }
    sayWriters(on: device)
    do {
      let known = try device.store.knowledge()
      let report = try device.store.retire(peer)
      note("retires \(peer): \(report.failure as Any)")
      count("peer retired")
      retired.insert(peer)
      if let returned = report.returned {
        try recordReturn(of: device, returned, report, since: known)
        count("retired peer's log issued again")
      }
    } catch let error as SyncError where error.code == .unknownPeer {
      // Nothing from it has arrived.
      note("\(error)")
    }
    // Notifying the others is a synchronisation.
    if hasDoubles { try keepPromises(of: device) }
  }

  /// Adds to the history what a store has reissued: its first transactions under another identity, which know
  /// exactly a horizon.
  ///
  /// - Parameters:
  ///   - report: the report of the synchronisation, in which the store may already have taken another
  ///     identity.
  ///   - known: its knowledge before that.
  func recordReturn(
    of device: SimulatedDevice, _ returned: ReturnReport, _ report: SyncReport,
    since known: Knowledge
  ) throws {
    note("comes back: \(returned)")
    count("store came back")
    hasReturned = true
    let peer = try device.store.identity()
    let former = report.renewal?.peer ?? device.peer
    try demand(
      .identity, (peer != former) == (returned.former == former),
      "device \(device.number) is \(peer), and was \(former): \(returned)")
    if hasDoubles {
      return try handOn(from: device, as: former, returned, report, since: known)
    }
    if peer == device.peer { return }
    device.store.became(peer)
    carrier.writers[device.number] = peer
    device.recorded = .zero
    device.durable = .zero
    // There may be doubles later.
    try handOn(from: device, as: former, returned, report, since: known)
    // It may have agreed on another horizon since.
    guard let horizon = try device.store.declaration(returned.declaration)?.horizon else {
      throw SimulationFailure(.recorded, "it does not remember by what it came back: \(returned)")
    }
    for number in 0..<UInt64(returned.reissued) {
      let record = try record(of: device, SequenceNumber(number + 1))
      var known = horizon
      known[peer] = SequenceNumber(number)
      try append(record, of: device, knowing: known)
    }
    device.recorded = try device.store.lastRecorded()
  }
}
