internal import TributaryContainer
internal import TributaryCore
internal import TributarySync

extension Simulation {
  /// All that a store has published is gone from its container, and it is told to publish anew.
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

  /// The store is lost with what nobody has seen, and the device begins anew.
  func replaceStore(
    of device: SimulatedDevice, using random: inout SeededGenerator
  ) throws {
    count("store lost")
    carrier.collectAll(using: &random)
    try device.store.discard()
    device.isOpen = false
    carrier.writers[device.number] = nil
    let published = lastPublished(by: device.peer)
    note("lost all after \(published) of \(device.recorded)")
    history.truncate(device.peer, to: published)
    device.backup = nil
    device.mark = nil
    device.recorded = .zero
    _ = try isReady(device, using: &random)
  }

  /// Up to which transaction of a peer the carrier has seen everything.
  func lastPublished(by peer: PeerIdentity) -> SequenceNumber {
    let name = peer.description
    let segments = carrier.files.filter { file in
      let path = SimulatedCarrier.absolute(file.path)
      return file.isSegment && file.peerName == name
        && devices.contains { $0.files.published[path] == file.best }
    }.compactMap { SegmentName($0.name) }
    var last = SequenceNumber.zero
    while let next = segments.first(where: { $0.first <= last.next && $0.last > last }) {
      last = next.last
    }
    return last
  }

  // MARK: Identity

  /// The store is what it was when it was backed up; its container may be, too.
  func restoreStore(
    of device: SimulatedDevice, withContainer: Bool, using random: inout SeededGenerator
  ) throws {
    guard options.hasIdentityFaults, let backup = device.backup else { return }
    count("store brought back from a backup\(withContainer ? ", with its container" : "")")
    carrier.collectAll(using: &random)
    device.store.close()
    device.isOpen = false
    try backup.store.restore(to: device.store.path)
    if withContainer {
      backup.disk.restore(to: device.files.disk, modified: device.clock.now)
    }
    device.store.forgetVersions()
    device.mark = nil
    try open(device)
  }

  /// Another device goes on with a copy of the store.
  func clone(
    _ device: SimulatedDevice, to other: SimulatedDevice, using random: inout SeededGenerator
  ) throws {
    guard options.hasIdentityFaults else { return }
  }
}
