internal import TributaryContainer
internal import TributaryCore
internal import TributarySync

extension HistoryHarness {
  /// Deletes the store, with what was not published, and replaces it with another one.
  mutating func replace(_ device: HarnessDevice) throws {
    if random.once(in: 2) {
      try synchronize(device)
      if random.once(in: 2) { try writeBaseline(of: device) }
    }
    trace.append("device \(device.number) loses its store")
    try device.discard()
    try carrier.collect(from: device.number, peers: device.peers, using: &random)
    try carrier.restore(device.number, using: &random)
    let published = carrier.files.filter { $0.peerName == device.peer.description }
      .compactMap { $0.sequences?.upperBound }.max()
    history.truncate(device.peer, to: SequenceNumber(published ?? 0))
    try attach(device)
  }

  /// Writes a baseline of a device that has just been synchronised into its copy of the container, where it
  /// stays; no carrier brings it to others.
  private mutating func writeBaseline(of device: HarnessDevice) throws {
    let before = try device.knowledge()
    do {
      let report = try device.writeBaseline()
      let known = try device.knowledge()
      trace.append("device \(device.number) writes a baseline of \(report.transactions)")
      try demand(known == before, "writing a baseline has imported something")
      let count = known.entries.reduce(0) { $0 + $1.sequence.rawValue }
      try demand(
        report.transactions == Int(count),
        "a baseline of \(report.transactions) transactions instead of \(count)")
    } catch let error as SyncError where error.code == .logsMissing {
      try demand(isMissingLogs(device), "\(error)")
    }
  }

  /// Removes everything that the device has published from the container: the device publishes
  /// nothing until it is reseeded, and then everything, in other segments than before.
  mutating func wipe(_ device: HarnessDevice) throws {
    trace.append("device \(device.number) finds its part of the container gone")
    try carrier.wipe(device.number, peer: device.peer)
    let before = try DirectoryImage(of: device.container)
    let report = try device.synchronize()
    let failure = report.failure as? ContainerError
    try demand(failure?.code == .wiped, "a wiped container is no failure: \(report)")
    let written = try DirectoryImage(of: device.container).difference(from: before)
    try demand(written.isEmpty, "wrote into a wiped container: \(written)")
    try synchronize(device, reseed: true)
  }
}
