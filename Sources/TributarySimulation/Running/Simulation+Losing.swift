internal import TributaryContainer
internal import TributaryCore
internal import TributarySync
internal import TributaryTesting

extension Simulation {
  /// Removes everything that a store has published from its container, and makes it publish again.
  func wipe(_ device: SimulatedDevice, using random: inout SeededGenerator) throws {
    guard device.isMounted else { return }
    count("own directory wiped")
    carrier.collectAll(using: &random)
    device.files.disk.removeDirectory(SimulatedCarrier.peerPath(device.peer))
    let changes = device.files.changeCount
    let report = try synchronize(device, using: &random)
    let failure = report?.failure as? ContainerError
    try demand(.reported, failure?.code == .wiped, "a wiped container is no failure")
    try demand(.ownFiles, device.files.changeCount == changes, "wrote into a wiped container")
    try synchronize(device, reseeding: true, using: &random)
  }

  /// Deletes the store, with what no other device has seen, and starts the device over.
  func replaceStore(
    of device: SimulatedDevice, using random: inout SeededGenerator
  ) throws {
    count("store lost")
    carrier.collectAll(using: &random)
    let settled = try device.store.settled()
    try device.store.discard()
    device.isOpen = false
    carrier.writers[device.number] = nil
    if hasDoubles {
      count("store lost after stores had become two")
      release(device.promises)
    } else {
      let published = lastPublished(by: device.peer, after: settled)
      note("lost all after \(published) of \(device.recorded)")
      history.truncate(device.peer, to: published)
    }
    device.promises = []
    device.backup = nil
    device.mark = nil
    device.recorded = .zero
    _ = try isReady(device, using: &random)
  }

  /// Returns the last transaction of a peer up to which the carrier has seen everything.
  ///
  /// - Parameter settled: what its baselines stand for.
  func lastPublished(by peer: PeerIdentity, after settled: Knowledge) -> SequenceNumber {
    let name = peer.description
    let segments = carrier.files.filter { file in
      let path = SimulatedCarrier.absolute(file.path)
      return file.isSegment && file.peerName == name
        && devices.contains { $0.files.published[path] == file.best }
    }.compactMap { SegmentName($0.name) }
    var last = settled[peer]
    while let next = segments.first(where: { $0.first <= last.next && $0.last > last }) {
      last = next.last
    }
    return last
  }

  /// Writes a baseline of a device into its copy of the container, where it stays; no carrier brings it to
  /// others.
  func writeBaseline(of device: SimulatedDevice) throws {
    let before = try device.store.knowledge()
    // It may be a copy that cannot be distinguished from the original.
    sayWriters(on: device)
    do {
      let report = try device.store.writeBaseline()
      note("a baseline of \(report.transactions)")
      // It may be the baseline of a horizon, which is further back.
      if plan.forgets { return }
      try demand(
        .complete, try device.store.knowledge() == before,
        "writing a baseline has imported something")
      let count = before.entries.reduce(0) { $0 + $1.sequence.rawValue }
      try demand(
        .complete, report.transactions == Int(count),
        "a baseline of \(report.transactions) transactions instead of \(count)")
    } catch {
      // What it has imported from a copy now has another name, which only a rebuild repairs.
      if hasDoubles, (error as? SyncError)?.code == .forked { return note("\(error)") }
      try checkUnavailable(error, on: device)
    }
  }
}
