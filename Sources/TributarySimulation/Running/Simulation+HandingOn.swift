internal import TributaryContainer
internal import TributaryCore
internal import TributarySync
internal import TributaryTesting

/// What happens to the commits that a store had when it came back.
extension Simulation {
  /// Notes which commits a store has reissued as part of others: those that it had and that do not pass, both
  /// its own and those of authors that do not come back themselves (rule 12 of `docs/space-return.md`).
  ///
  /// - Parameters:
  ///   - former: its identity when it came back.
  ///   - known: its knowledge before the synchronisation.
  func handOn(
    from device: SimulatedDevice, as former: PeerIdentity, _ returned: ReturnReport,
    _ report: SyncReport, since known: Knowledge
  ) throws {
    if hasDoubles { try keepPromises(of: device) }
    guard let declaration = try device.store.declaration(returned.declaration) else {
      throw SimulationFailure(.recorded, "it does not remember by what it came back: \(returned)")
    }
    var had = known
    for range in report.imported.peers { had[range.peer] = max(had[range.peer], range.last) }
    // It has already published everything.
    had[former] = .max
    let now = try device.store.knowledge()
    let formers = Set(try device.store.formers())
    let others = returnedPeers(on: device)
    if let retired = returned.retired { had[retired] = .max }
    func isOurs(_ peer: PeerIdentity) -> Bool {
      if peer == former || peer == returned.retired { return true }
      return formers.contains(peer) || !declaration.members.contains(peer) && !others.contains(peer)
    }
    for (peer, commits) in published() {
      for (sequence, found) in commits where now[peer] < sequence && sequence <= had[peer] {
        if isOurs(peer) { handedOn.formUnion(found) } else { owed.formUnion(found) }
      }
    }
  }

  /// Returns the identities that others have left, according to their files on a device.
  private func returnedPeers(on device: SimulatedDevice) -> Set<PeerIdentity> {
    var peers: Set<PeerIdentity> = []
    guard
      let directory = try? ContentDirectory(
        container: SimulatedDisk.container, name: ContentName("H"))
    else { return [] }
    for name in device.files.disk.names(in: SimulatedCarrier.peersPath) ?? [] {
      guard let peer = PeerIdentity(hex: name), peer != device.peer,
        let bytes = device.files.disk.bytes(directory.manifest(of: peer)),
        // A damaged file says nothing.
        let manifest = try? PeerManifest(decoding: bytes, of: peer, in: directory)
      else { continue }
      peers.formUnion(manifest.former.keys)
    }
    return peers
  }
}
