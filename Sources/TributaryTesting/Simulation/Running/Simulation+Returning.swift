internal import TributaryCore
internal import TributaryStore
internal import TributarySync

/// Devices that others leave out, and that come back.
extension Simulation {
  /// Has the user of a device declare another one to be gone, or a store that is lost.
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
    do {
      let report = try device.store.retire(peer)
      note("retires \(peer): \(report.failure as Any)")
      count("peer retired")
    } catch let error as SyncError where error.code == .unknownPeer {
      // Nothing of it has arrived.
      note("\(error)")
    }
  }

  /// Adds to the history what a store has issued again: its first transactions under another identity, which know
  /// exactly a horizon.
  func recordReturn(of device: SimulatedDevice, _ returned: ReturnReport) throws {
    note("comes back: \(returned)")
    count("store came back")
    hasReturned = true
    let peer = try device.store.identity()
    try demand(
      .identity, (peer != device.peer) == (returned.former == device.peer),
      "device \(device.number) is \(peer), and was \(device.peer): \(returned)")
    if peer == device.peer { return }
    device.store.became(peer)
    carrier.writers[device.number] = peer
    device.recorded = .zero
    device.durable = .zero
    // It may have agreed on another one since.
    guard let horizon = try device.store.horizon(of: returned.declaration) else {
      throw SimulationFailure(.recorded, "it does not remember by what it came back: \(returned)")
    }
    for number in 0..<UInt64(returned.reissued) {
      guard let record = try device.store.record(SequenceNumber(number + 1)) else {
        throw SimulationFailure(.recorded, "there is no transaction \(number + 1)")
      }
      var known = horizon
      known[peer] = SequenceNumber(number)
      try append(record, of: device, knowing: known)
    }
    device.recorded = try device.store.lastRecorded()
  }
}
