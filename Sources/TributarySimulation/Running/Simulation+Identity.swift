internal import TributaryCore
internal import TributaryStore
internal import TributarySync
internal import TributaryTesting

/// Stores that do not continue from what they have published. As soon as there is one, commits are identified
/// by their times, since peers and sequences change.
extension Simulation {
  /// Restores the store, and perhaps its container, from the backup.
  func restoreStore(
    of device: SimulatedDevice, withContainer: Bool, using random: inout SeededGenerator
  ) throws {
    guard let backup = device.backup else { return }
    count("store brought back from a backup\(withContainer ? ", with its container" : "")")
    if device.clock.now < device.backedUp {
      count("store brought back from a backup, its clock behind that")
    }
    try becomeDouble(using: &random)
    device.store.close()
    try backup.store.restore(to: device.store.path)
    // The backup overwrites the store's file, or replaces it.
    if random.once(in: 2) {
      count("copy that can be seen")
      makeFile(of: device)
    }
    if withContainer {
      backup.disk.restore(to: device.files.disk, modified: device.clock.now)
    }
    // A full backup restores the witnesses too, or has none.
    if random.once(in: 2) {
      device.store.dismissWitness()
    } else {
      count("copy that a witness knows")
    }
    try reopen(device)
  }

  /// Makes another device continue with a copy of the store, and lose its own.
  func clone(
    _ device: SimulatedDevice, to other: SimulatedDevice, using random: inout SeededGenerator
  ) throws {
    guard try isReady(other, using: &random) else { return }
    count("store copied to another device")
    try becomeDouble(using: &random)
    let image = StoreImage(of: device.store.path)
    try other.store.discard()
    try image.restore(to: other.store.path)
    for peer in device.store.peers where !other.store.peers.contains(peer) {
      other.store.became(peer)
    }
    other.backup = nil
    if random.once(in: 2) {
      // As with a snapshot of a whole file system.
      other.birth.value = device.birth.value
    } else {
      count("copy that can be seen")
      makeFile(of: other)
    }
    try reopen(other)
  }

  /// Makes the file of a store a different one.
  private func makeFile(of device: SimulatedDevice) {
    births += 1
    device.birth.value = births
  }

  /// Starts counting commits by their times.
  private func becomeDouble(using random: inout SeededGenerator) throws {
    carrier.collectAll(using: &random)
    if !hasDoubles {
      hasDoubles = true
      for (peer, transactions) in history.transactions {
        for transaction in transactions {
          promised.insert(Promise(transaction.stamp.time, by: peer))
        }
      }
    }
    for device in devices where device.isOpen { try keepPromises(of: device) }
  }

  /// Opens a store that has replaced another; what only the other had is lost.
  private func reopen(_ device: SimulatedDevice) throws {
    let before = device.promises
    device.store.forgetVersions()
    device.mark = nil
    device.durable = .zero
    try open(device)
    try keepPromises(of: device)
    release(before)
  }

  /// Records what the store has written itself and no one else may have.
  func keepPromises(of device: SimulatedDevice) throws {
    let peer = try device.store.identity()
    let promises = try device.store.times().map { Promise($0, by: peer) }
    if peer != device.peer {
      // What it reissues begins at 1, and what was durable of it still is.
      let durable = Set(device.promises.prefix(Int(clamping: device.durable.rawValue)))
      device.durable = SequenceNumber(UInt64(promises.prefix { durable.contains($0) }.count))
      note("is \(peer) from now on")
      count("another identity taken")
      device.store.became(peer)
    }
    carrier.writers[device.number] = peer
    carrier.former[device.number, default: []].formUnion(
      device.files.publishers.subtracting([peer]))
    device.recorded = try device.store.knowledge()[peer]
    device.promises = promises
    promised.formUnion(promises)
    if devices.count(where: { $0.isOpen && $0.peer.lineage == peer.lineage }) > 2 {
      count("three stores that come from one")
    }
  }

  /// Records that some commits are gone with their store, unless they are elsewhere.
  func release(_ lost: [Promise]) {
    let kept = carrier.promises().union(devices.flatMap { $0.isOpen ? $0.promises : [] })
    let released = Set(lost).subtracting(kept)
    if !released.isEmpty { note("loses \(released.count) commits that nobody has seen") }
    promised.subtract(released)
  }

  /// Updates the promises: after a power cut, anything that was not durable may be gone.
  func recoverPromises(of device: SimulatedDevice, powerCut isPowerCut: Bool) throws {
    let before = device.promises
    let durable = Int(clamping: device.durable.rawValue)
    device.durable = .zero
    try keepPromises(of: device)
    if isPowerCut { release(Array(before.dropFirst(durable))) }
  }

  /// Whether all devices say that they keep out what a lost store has published, or a user has declared that
  /// it is gone.
  private func isLeftBehind(
    _ peer: PeerIdentity, _ sequence: SequenceNumber, _ reports: [SyncReport]
  ) -> Bool {
    if retired.contains(peer) { return !devices.contains { $0.peer == peer } }
    return reports.allSatisfy { report in
      report.waiting.contains {
        $0.peer == peer && $0.firstLeft <= sequence && isLeftBehind($0, report)
      }
    }
  }

  /// Returns commits with the names under which they were published, for a failure's message.
  private func places(
    of commits: Set<Promise>, _ published: [PeerIdentity: [SequenceNumber: Set<Promise>]]
  ) -> [String] {
    commits.map { commit in
      let names = published.flatMap { peer, all in
        all.filter { $1.contains(commit) }.map { "\(peer):\($0.key)" }
      }
      return "\(commit.time.milliseconds)+\(commit.time.counter) \(names.sorted())"
    }
  }

  /// Checks that, in the end, every device has every commit that was not lost with its store, or the commit
  /// that it was reissued in. Also checks that each device names the logs of lost stores that no device had
  /// imported before all agreed to forget what these stores did not know.
  ///
  /// - Parameter reports: the last report of each device.
  func checkPromises(_ reports: [SyncReport]) throws {
    let known = try devices.map { try $0.store.knowledge() }
    try demand(
      .lost, Set(known).count <= 1, "devices know \(known.map(\.entries)) in the end")
    var present = devices.reduce(into: Set<Promise>()) { $0.formUnion($1.promises) }
    var left: Set<Promise> = []
    let published = published()
    for (peer, commits) in published {
      for (sequence, found) in commits {
        if known.allSatisfy({ sequence <= $0[peer] }) {
          present.formUnion(found)
        } else if isLeftBehind(peer, sequence, reports) {
          left.formUnion(found)
        }
      }
    }
    let missing = promised.subtracting(present).subtracting(handedOn)
      .subtracting(left.subtracting(owed))
    if !missing.isEmpty {
      let ends = known.first?.entries.map { "\($0.peer):\($0.sequence)" } ?? []
      try demand(
        .lost, false,
        "commits are nowhere: \(places(of: missing, published)); devices know \(ends)")
    }
    let conflicts = try devices.map { try $0.store.conflicts().map { "\($0.id) \($0.conflict)" } }
    try demand(.conflicts, Set(conflicts).count <= 1, "devices have the conflicts \(conflicts)")
    for device in devices { try verify(device) }
  }
}
