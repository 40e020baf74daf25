internal import TributaryContainer
internal import TributaryCore
internal import TributaryStore
internal import TributarySync
internal import TributaryTesting

extension Simulation {
  /// Checks what must hold after every step and is cheap to check.
  func checkAlways() throws {
    var published: [String: [UInt8]] = [:]
    for device in devices {
      let violations = device.files.violations
      try demand(.ownFiles, violations.isEmpty, "device \(device.number): \(violations)")
      // Two stores with the same identity may publish the same segment, but not two segments under one name.
      for (path, bytes) in device.files.published where SegmentName(path.lastPathComponent) != nil {
        try demand(
          .ownFiles, published[path, default: bytes] == bytes, "two devices published \(path)")
        published[path] = bytes
      }
    }
  }

  /// Compares what a store shows with the definition of the merge.
  ///
  /// - Parameter conflicts: whether to compare its conflicts too, which requires that the needed files are in
  ///   the container. Histories compare conflicts whenever they are.
  func compare(_ device: SimulatedDevice, conflicts: Bool = false) throws {
    if hasDoubles { return try checkConstraints(of: device) }
    let known = try device.store.knowledge()
    let transactions = history.known(known)
    let count = known.entries.reduce(0) { $0 + $1.sequence.rawValue }
    try demand(
      .complete, transactions.count == Int(count),
      "device \(device.number) knows \(known.entries), of which \(transactions.count) were made")
    for transaction in transactions {
      try demand(
        .complete, known.isSuperset(of: transaction.knowledge),
        "knows \(transaction.sequence) of \(transaction.stamp.peer) without what that knew")
    }
    let expected = expected(of: transactions)
    try checkConstraints(of: device)
    try checkCopies(of: device)
    let difference = try device.store.contents().difference(from: expected.visible)
    try demand(
      .contents, difference.isEmpty,
      "device \(device.number) differs from the definition: \(difference), which has the conflicts\n"
        + expected.conflicts.map(\.description).joined(separator: "\n"))
    if conflicts || plan.isHistory && hasLogs(of: known, device) {
      try compareConflicts(of: device, with: expected.conflicts, at: known)
    }
  }

  /// Returns the result of transactions according to the definition.
  func expected(of transactions: [ReferenceTransaction]) -> ReferenceState {
    merge(transactions, schema: generator.schema) { table, number, numbering in
      FreshNumber.number(table: table, key: number, numbering: numbering?.stamp)
    }
  }

  private func checkCopies(of device: SimulatedDevice) throws {
    for copy in generator.copies {
      let differences = try device.store.rows(copy.differences)
      try demand(
        .contents, differences.isEmpty,
        "device \(device.number) has another \(copy.name) than its table: \(differences)")
    }
  }

  private func compareConflicts(
    of device: SimulatedDevice, with expected: [ReferenceConflict], at known: Knowledge
  ) throws {
    func canonical(_ conflict: ReferenceConflict) -> String {
      var conflict = conflict
      conflict.key = generator.schema[conflict.table].canonical(conflict.key).values
      return conflict.description
    }
    let settled = try device.store.settled()
    let wanted = expected.map { canonical($0.settled(beneath: settled)) }.sorted()
    let conflicts = try device.store.conflicts()
    let found = conflicts.map { canonical($0.conflict) }.sorted()
    try demand(
      .conflicts, found == wanted,
      "device \(device.number) has the conflicts\n\(found.joined(separator: "\n"))\ninstead of\n"
        + wanted.joined(separator: "\n"))
    try demand(.conflicts, "device \(device.number)") {
      try identifiers.check(
        conflicts.map { "\($0.id) \($0.conflict)" }.sorted(), at: known, settled)
    }
  }

  private func checkConstraints(of device: SimulatedDevice) throws {
    let orphans = try device.store.orphans()
    try demand(
      .constraints, orphans.isEmpty,
      "device \(device.number) shows rows without parents: \(orphans)")
    let findings = try device.store.integrityFindings()
    try demand(
      .constraints, findings.isEmpty, "device \(device.number) is damaged: \(findings)")
  }

  /// Returns a device's manifest in its container; `nil` if it is missing, or cut short.
  func manifest(of device: SimulatedDevice) throws -> PeerManifest? {
    let directory = ContentDirectory(
      container: SimulatedDisk.container, name: try ContentName("H"))
    return device.files.disk.bytes(directory.manifest(of: device.peer)).flatMap {
      try? PeerManifest(decoding: $0, of: device.peer, in: directory)
    }
  }

  /// Checks that, in the end, each device claims to know everything, as seen by the others.
  func checkManifest(of device: SimulatedDevice, _ all: Knowledge) throws {
    var others = all
    others[device.peer] = .zero
    var manifest = try manifest(of: device)
    // What it does not list is below the horizon that it obeys.
    if let obeyed = try device.store.obeyed() { manifest = manifest?.resolved(by: obeyed) }
    try demand(
      .receipt, manifest?.receipt == others && manifest?.sequence == all[device.peer],
      "device \(device.number) says \(manifest as Any), and knows \(all.entries)")
  }

  /// Checks that a store still knows what its device has claimed in its container.
  func checkReceipt(of device: SimulatedDevice) throws {
    guard !hasDoubles, let manifest = try manifest(of: device) else { return }
    let known = try device.store.knowledge()
    try demand(
      .receipt, known.isSuperset(of: manifest.receipt),
      "device \(device.number) says to know \(manifest.receipt.entries), and knows \(known.entries)"
    )
    try demand(
      .receipt, known[device.peer] >= manifest.sequence,
      "device \(device.number) says it has published \(manifest.sequence) of \(known[device.peer])")
  }

  /// Makes the product replay the logs by its own definition, if the logs are there.
  func verify(_ device: SimulatedDevice) throws {
    do {
      let report = try device.store.verify()
      try demand(
        .contents, report.differenceCount == 0,
        "device \(device.number) does not pass its own check: \(report.differences)")
      let count = history.known(try device.store.knowledge()).count
      try demand(
        .complete, hasDoubles || report.transactions == count,
        "checked \(report.transactions) of \(count)")
    } catch {
      try checkUnavailable(error, on: device)
    }
  }

  func rebuild(_ device: SimulatedDevice) throws {
    let known = try device.store.knowledge()
    count("store rebuilt")
    do {
      let report = try device.store.rebuild()
      let count = history.known(known).count
      note("\(device.number) rebuilt from \(report.transactions)")
      try demand(
        .complete, hasDoubles || report.transactions == count,
        "replayed \(report.transactions) of \(count)")
      try demand(
        .lost, hasDoubles || report.setAside == nil, "a rebuild takes rows for lost: \(report)")
    } catch {
      try checkUnavailable(error, on: device)
    }
    device.isOpen = false
    try open(device)
    let now = try device.store.knowledge()
    try demand(
      .complete, hasDoubles || now == known,
      "a rebuild changed what is known: \(known.entries), \(now.entries)")
    try compare(device)
  }

  /// Checks an error: logs may be missing and containers unavailable, but nothing else may fail.
  func checkUnavailable(_ error: any Error, on device: SimulatedDevice) throws {
    if let failure = error as? SimulationFailure { throw failure }
    note("\(error)")
    try check(typed: error)
    let isAway = !device.isMounted || !device.hasDirectory
    let isMissing = (error as? SyncError)?.code == .logsMissing
    try demand(
      .reported,
      isAway
        // A branch that no store has reissued yet must not be lost.
        || isMissing && hasDoubles
        || isMissing
          && carrier.files.contains {
            $0.isSegment && !isWhole(SimulatedCarrier.absolute($0.path), on: device)
          },
      "\(error)")
  }
}
