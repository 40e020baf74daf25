internal import TributaryContainer
internal import TributaryCore
internal import TributaryHorizon
internal import TributaryReplay
package import TributaryStore
internal import TributarySync

/// Several devices with real stores, each with its own copy of the container, and a carrier between
/// them. Their contents are compared with the plain definition of the merge.
package struct HistoryHarness {
  var random: SeededGenerator
  var generator: HistoryGenerator
  var history = HarnessHistory()
  private(set) var devices: [HarnessDevice] = []
  var carrier: Carrier
  private let steps: Int
  let isConstrained: Bool
  private var identifiers = ConflictIdentifiers()
  /// Whether devices forget what lies beneath horizons.
  private let forgets: Bool
  /// What the devices have declared last.
  var declaration: Declaration?

  /// The number of inserts that, in the end, meant an existing row.
  package private(set) var joinedCount = 0

  /// The events so far, for finding the cause of a failure.
  package internal(set) var trace: [String]

  /// Makes a history.
  ///
  /// - Parameters:
  ///   - isConstrained: whether the tables have constraints; otherwise, they have columns of any
  ///     types.
  ///   - others: whether programs that do not know the stores also write some of them, and how that is found.
  ///   - directory: an empty directory on a fast file system.
  package init(
    seed: UInt64, constrained isConstrained: Bool = false, others capture: CaptureMethod? = nil,
    forgetting forgets: Bool = false, in directory: String
  ) throws {
    self.forgets = forgets
    self.isConstrained = isConstrained
    random = SeededGenerator(seed: seed)
    generator = HistoryGenerator(
      seed: random.next(), constrained: isConstrained, special: isConstrained, keyless: true,
      positive: true, loose: isConstrained, identified: true)
    trace = generator.createStatements
    let containers =
      (0..<random.pick(isConstrained ? [2, 2, 2, 3, 3, 3, 4, 5, 6] : [2, 2, 3, 3, 4, 5, 6])).map {
        "\(directory)/container\($0)"
      }
    carrier = Carrier(containers: containers, using: &random)
    // Many short histories find more than few long ones.
    steps = isConstrained ? random.number(10...40) : random.number(20...60)
    var others = SeededGenerator(seed: seed ^ 0x6F74_6865_7273)
    for number in containers.indices {
      let offset = random.pick([0, 0, 50, 3_600_000, 86_400_000 * 3650])
      devices.append(
        try HarnessDevice(
          number, in: directory, generator,
          startingAt: 1_700_000_000_000 + UInt64(random.number(0...offset))))
      if let capture, number == 0 || others.once(in: 2) {
        devices[number].hasOthers = true
        devices[number].captures = capture
      }
    }
  }

  /// Runs the history.
  ///
  /// - Throws: `HarnessFailure` and what the product throws.
  package mutating func run() throws {
    for device in devices { try attach(device) }
    for _ in 0..<steps { try step() }
    try finish()
  }

  private mutating func step() throws {
    let device = random.pick(devices)
    moveClock(of: device)
    if forgets, random.once(in: 8) { return try forget() }
    switch random.number(0...39) {
    case 13...14 where isConstrained: try settle(device)
    case 0...14: try write(device)
    case 15, 16: for _ in 0..<random.number(2...5) { try write(device) }
    case 17...21: try synchronize(device)
    case 22...33:
      try carrier.carry(using: &random)
      try synchronize(device)
    case 36 where isConstrained: try random.once(in: 2) ? meet() : losingParents()
    case 34...36: try carrier.carry(using: &random)
    case 37: try verify(device)
    case 38: try rebuild(device)
    default:
      switch random.number(0...3) {
      case 0: try replace(device)
      case 1: try wipe(device)
      default: if !forgets { try rejoin(device) }
      }
    }
  }

  mutating func moveClock(of device: HarnessDevice) {
    if random.once(in: 15) {
      device.clock.advance(by: Int64(random.number(-5_000_000...5_000_000)))
    } else {
      device.clock.advance(by: Int64(random.number(0...2)))
    }
  }

  // MARK: Steps

  mutating func attach(_ device: HarnessDevice) throws {
    let hasSchema = carrier.files.contains { file in
      file.sequences == nil && file.states[device.number] == .whole
    }
    // The tables that a selection names must exist.
    let migrates = !hasSchema || random.once(in: 2) || !generator.copies.isEmpty
    let report = try device.attach(as: .random(using: &random), migrating: migrates)
    trace.append("device \(device.number) attached as \(device.peer): \(report.outcome)")
    // It may have arrived before the file that describes the tables.
    if report.outcome == .created { _ = try device.synchronize() }
    try carrier.collect(from: device.number, peers: device.peers, using: &random)
    var known = Knowledge()
    if let path = report.baseline {
      trace.append("  beginning with \(path)")
      known = device.baselines[path] ?? Knowledge()
    } else {
      try demand(
        !device.hasBaseline, "did not begin with a baseline: \(report.damaged) \(report.notes)")
    }
    try checkImport(by: device, since: known, report.waiting)
    try compare(device)
  }

  mutating func synchronize(_ device: HarnessDevice, reseed: Bool = false) throws {
    let before = try device.contents()
    let known = try device.knowledge()
    let report = try device.synchronize(reseed: reseed)
    trace(report, of: device)
    try carrier.collect(from: device.number, peers: device.peers, using: &random)
    if let failure = report.failure {
      return try check(failure, of: device, since: known, before)
    }
    try checkImport(by: device, since: known, report.waiting)
    let now = try device.knowledge()
    let imported = now.entries.reduce(0) { $0 + $1.sequence.rawValue - known[$1.peer].rawValue }
    try demand(
      report.imported.transactions == Int(imported),
      "told of \(report.imported.transactions) imported transactions instead of \(imported)")
    try checkTold(report.imported, before: before, after: try device.contents())
    if isConstrained || random.once(in: 2) { try compare(device) }
  }

  /// Checks that a synchronisation has failed because another program has written where the logs are missing
  /// with which its tables could be compared, and has changed nothing. A statement that fails halfway writes
  /// pages, too, and appends to no journal.
  private func check(
    _ failure: any Error, of device: HarnessDevice, since known: Knowledge,
    _ before: ReferenceContents
  ) throws {
    guard device.hasOthers, (failure as? SyncError)?.code == .logsMissing,
      !hasLogs(device, of: known)
    else { throw failure }
    try demand(try device.knowledge() == known, "imported although it failed: \(failure)")
    let difference = try device.contents().difference(from: before)
    try demand(difference.isEmpty, "changed although it failed: \(difference)")
  }

  private mutating func trace(_ report: SyncReport, of device: HarnessDevice) {
    trace.append(
      "device \(device.number) synchronises: published \(report.published.transactions), imported "
        + "\(report.imported.peers), waiting \(report.waiting), damaged \(report.damaged)"
        + (report.failure.map { "; failed: \($0)" } ?? ""))
  }

  /// Checks that everything that has arrived was imported, and nothing else.
  func checkImport(
    by device: HarnessDevice, since known: Knowledge, _ waiting: [Waiting]
  ) throws {
    // Merging may need old files that an accident has removed.
    if waiting.contains(where: { if case .history = $0.reason { true } else { false } }) { return }
    let files = carrier.files.filter { $0.states[device.number] == .whole }
    let expected = history.importable(from: known) { peer, sequence in
      files.contains {
        $0.sequences?.contains(sequence.rawValue) == true && $0.peerName == peer.description
      }
    }
    let now = try device.knowledge()
    try demand(
      now == expected,
      "device \(device.number) knows \(now.entries) instead of \(expected.entries); \(waiting)")
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
      var old = ReferenceContents()
      var new = ReferenceContents()
      old.tables[table.name] = before.tables[table.name, default: [:]].filter {
        !told.contains($0.key)
      }
      new.tables[table.name] = after.tables[table.name, default: [:]].filter {
        !told.contains($0.key)
      }
      let untold = new.difference(from: old)
      try demand(untold.isEmpty, "changed without telling: \(untold)")
    }
  }

  mutating func compare(_ device: HarnessDevice) throws {
    try checkCopies(device)
    let known = try device.knowledge()
    let transactions = history.known(known)
    for transaction in transactions {
      try demand(
        known.isSuperset(of: transaction.knowledge),
        "knows \(transaction.sequence) of \(transaction.stamp.peer) without what that knew")
    }
    let expected = expected(of: transactions)
    let difference = try device.contents().difference(from: expected.visible)
    let settled = try device.settled()
    let wanted = expected.conflicts.map { canonical($0.settled(beneath: settled)) }.sorted()
    try demand(
      difference.isEmpty,
      "device \(device.number) differs from the definition: \(difference), which has the conflicts\n"
        + wanted.joined(separator: "\n"))
    // A conflict may have to be looked up in files that an accident has removed.
    if isMissingLogs(device) { return }
    let conflicts = try device.conflicts()
    let found = conflicts.map { canonical($0.conflict) }.sorted()
    try demand(
      found == wanted,
      "device \(device.number) has the conflicts\n\(found.joined(separator: "\n"))\ninstead of\n"
        + wanted.joined(separator: "\n"))
    try identifiers.check(conflicts.map { "\($0.id) \($0.conflict)" }.sorted(), at: known, settled)
    try checkConstraints(device)
  }

  /// Returns the result of transactions by definition.
  func expected(of transactions: [ReferenceTransaction]) -> ReferenceState {
    merge(transactions, schema: generator.schema) { table, number, numbering in
      FreshNumber.number(table: table, key: number, numbering: numbering?.stamp)
    }
  }

  /// Returns a conflict independently of the spelling of its key.
  private func canonical(_ conflict: ReferenceConflict) -> String {
    var conflict = conflict
    conflict.key = generator.schema[conflict.table].canonical(conflict.key).values
    return conflict.description
  }

  private func checkCopies(_ device: HarnessDevice) throws {
    for copy in generator.copies {
      let differences = try device.rows(copy.differences)
      try demand(
        differences.isEmpty,
        "device \(device.number) has another \(copy.name) than its table: \(differences)")
    }
  }

  private func checkConstraints(_ device: HarnessDevice) throws {
    let orphans = try device.orphans()
    try demand(orphans.isEmpty, "device \(device.number) shows rows without parents: \(orphans)")
    let findings = try device.integrityFindings()
    try demand(findings.isEmpty, "device \(device.number) is damaged: \(findings)")
  }

  private mutating func verify(_ device: HarnessDevice) throws {
    do {
      try check(try device.verify(), device)
    } catch let error as SyncError where error.code == .logsMissing {
      try demand(isMissingLogs(device), "\(error)")
    }
  }

  private func check(_ report: VerifyReport, _ device: HarnessDevice) throws {
    try demand(
      report.differenceCount == 0,
      "device \(device.number) does not pass its own check: \(report.differences)")
    let count = history.known(try device.knowledge()).count
    try demand(report.transactions == count, "checked \(report.transactions) of \(count)")
  }

  private mutating func rebuild(_ device: HarnessDevice) throws {
    let known = try device.knowledge()
    do {
      let report = try device.rebuild()
      let count = history.known(known).count
      trace.append("device \(device.number) rebuilds \(report.transactions)")
      try demand(report.transactions == count, "replayed \(report.transactions) of \(count)")
      try demand(report.setAside == nil, "a rebuild takes rows for lost: \(report)")
    } catch let error as SyncError where error.code == .logsMissing {
      try demand(isMissingLogs(device), "\(error)")
    }
    try device.open()
    try demand(try device.knowledge() == known, "a rebuild has changed what is known")
    try compare(device)
  }

  func isMissingLogs(_ device: HarnessDevice) -> Bool {
    carrier.files.contains { $0.sequences != nil && $0.states[device.number] != .whole }
  }

  /// Whether the logs of everything that a store knows are there, so that its tables can be compared with them.
  func hasLogs(_ device: HarnessDevice, of known: Knowledge) -> Bool {
    known.entries.allSatisfy { entry in
      let files = carrier.files.filter {
        $0.states[device.number] == .whole && $0.peerName == entry.peer.description
      }
      return entry.peer == device.peer
        || (0..<entry.sequence.rawValue).allSatisfy { number in
          files.contains { $0.sequences?.contains(number + 1) == true }
        }
    }
  }

  // MARK: The end

  private mutating func finish() throws {
    trace.append("the end")
    var reports: [SyncReport] = []
    // All publish; then all import, and say so in their manifests.
    for _ in 0..<2 {
      reports = []
      for device in devices {
        let report = try device.synchronize()
        trace(report, of: device)
        reports.append(report)
        try carrier.collect(from: device.number, peers: device.peers, using: &random)
      }
      try carrier.carryEverything(using: &random)
    }
    for report in reports {
      if let failure = report.failure { throw failure }
      try demand(report.waiting.isEmpty, "waits in the end: \(report.waiting)")
      try demand(report.damaged.isEmpty, "damaged in the end: \(report.damaged)")
    }
    let all = history.knowledge
    joinedCount = expected(of: history.known(all)).joinedCount
    for device in devices {
      let known = try device.knowledge()
      try demand(known == all, "knows \(known.entries) of \(all.entries) in the end")
      try compare(device)
    }
    let device = random.pick(devices)
    try check(try device.verify(), device)
    let digests = try devices.map { try $0.digest() }
    try demand(Set(digests).count == 1, "the digests differ: \(digests)")
    try checkRest()
  }

  /// Checks that nobody writes anything when everything is everywhere.
  private func checkRest() throws {
    for device in devices {
      let before = try DirectoryImage(of: device.container)
      let report = try device.synchronize()
      try demand(report.isEmpty, "did something with nothing to do: \(report)")
      let written = try DirectoryImage(of: device.container).difference(from: before)
      try demand(written.isEmpty, "wrote with nothing to say: \(written)")
      try demand(try device.knowledge() == history.knowledge, "wrote a transaction about nothing")
    }
  }
}
