internal import TributaryContainer
internal import TributaryCore
internal import TributaryFiles
internal import TributaryStore
internal import TributaryTesting

extension Simulation {
  /// Makes the application, or a program that does not know the store, commit a random write, and adds its
  /// record to the history.
  func write(
    on device: SimulatedDevice, _ occasion: WriteOccasion = .any,
    using random: inout SeededGenerator
  ) throws {
    let store = device.store
    let known = try store.knowledge()
    let before = try store.contents()
    generator.reseed(random.next())
    let write = generator.nextWrite(for: before, occasion)
    note("\(known[device.peer].next): \(write)")
    if store.hasOthers, store.captures == .triggers || hasLogs(of: known, device),
      random.once(in: 2)
    {
      return try writeAsOther(write, device, known, before, using: &random)
    }
    let version = random.once(in: 8) ? store.versions.randomElement(using: &random) : nil
    if let version { note("based on \(version.knowledge.entries)") }
    let isCommitted = try demand(.reported, "device \(device.number) cannot write") {
      try store.run(write, basedOn: version)
    }
    guard
      let record = try nextRecord(of: device, knowing: known, before, isCommitted: isCommitted)
    else { return }
    if hasDoubles { return try keepPromises(of: device) }
    if !plan.isConstrained {
      try compare(
        record.changes,
        with: changes(
          before: before, after: try store.contents(),
          reinserted: write.reinserted(before: before, schema: generator.schema),
          schema: generator.schema))
    }
    // A basis that nothing has followed is not recorded.
    try demand(
      .recorded,
      record.basis == version?.knowledge
        || record.basis == nil && (version.map { $0.knowledge == known } ?? true),
      "recorded the basis \(String(describing: record.basis))")
    try append(record, of: device, knowing: known)
    if plan.isHistory, plan.isConstrained { try compare(device) }
  }

  /// Returns the record of a commit; `nil` if there is none, because it has changed nothing.
  ///
  /// - Parameter isCommitted: whether the write was committed.
  func nextRecord(
    of device: SimulatedDevice, knowing known: Knowledge, _ before: ReferenceContents,
    isCommitted: Bool
  ) throws -> RecordedTransaction? {
    guard let record = try device.store.record(known[device.peer].next) else {
      note(isCommitted ? "nothing" : "refused")
      let difference = try device.store.contents().difference(from: before)
      try demand(.recorded, difference.isEmpty, "no record of \(difference)")
      return nil
    }
    try demand(.recorded, isCommitted, "a record of what was refused: \(record.changes)")
    return record
  }

  /// Makes the application commit a random write while the store synchronises in another thread;
  /// its record is read later.
  func writeWithin(_ device: SimulatedDevice, using random: inout SeededGenerator) {
    // A write also accesses files. If it was killed there, only what is left shows whether it was committed.
    let driver = device.files.driver
    defer { device.hasDiedWriting = driver.isDead }
    do {
      generator.reseed(random.next())
      let write = generator.nextWrite(for: try device.store.contents())
      note("meanwhile: \(write)")
      _ = try device.store.run(write, basedOn: nil)
      if !driver.isDead { device.recorded = try device.store.lastRecorded() }
    } catch {
      if !driver.isDead { device.writeFailure = error }
    }
  }

  /// Adds to the history what was written within a synchronisation.
  func absorb(_ device: SimulatedDevice) throws {
    if let failure = device.writeFailure {
      throw SimulationFailure(.reported, "device \(device.number) cannot write: \(failure)")
    }
    if hasDoubles { return try keepPromises(of: device) }
    var next = history.knowledge[device.peer].next
    while next <= device.recorded {
      guard let record = try device.store.record(next) else {
        throw SimulationFailure(.recorded, "no record of \(next) on device \(device.number)")
      }
      var known = record.knowledge
      known[device.peer] = SequenceNumber(next.rawValue - 1)
      try append(record, of: device, knowing: known)
      next = next.next
    }
  }

  /// Returns what a device has recorded or published of one of its commits. If no one else needs to be asked,
  /// a store that comes back agrees at once on a horizon above what it has reissued, and forgets its records.
  func record(
    of device: SimulatedDevice, _ sequence: SequenceNumber
  ) throws -> RecordedTransaction {
    if let record = try device.store.record(sequence) { return record }
    for (path, bytes) in device.files.published
    where SegmentName(path.lastPathComponent) != nil
      && ArchivedFile.peerName(of: path) == "\(device.peer)"
    {
      // Without the declaration, the knowledge is incomplete, and the comparison fails.
      let found = try RecordedTransaction(sequence, in: bytes) {
        (try? device.store.declaration($0))?.horizon
      }
      if let found { return found }
    }
    throw SimulationFailure(.recorded, "there is no transaction \(sequence)")
  }

  func append(
    _ record: RecordedTransaction, of device: SimulatedDevice, knowing known: Knowledge
  ) throws {
    note("at \(record.time.milliseconds)+\(record.time.counter): \(record.changes)")
    var others = known
    others[device.peer] = .zero
    try demand(.recorded, !record.changes.isEmpty, "a record of nothing")
    try demand(
      .recorded, record.knowledge == others,
      "recorded the knowledge \(record.knowledge.entries) instead of \(others.entries)")
    let transaction = ReferenceTransaction(
      stamp: Stamp(time: record.time, peer: device.peer), sequence: record.sequence,
      knowledge: record.knowledge, basis: record.basis, changes: record.changes)
    // Transactions that joined the logs have the lowest possible stamps.
    let latest = record.time == .zero ? nil : history.known(known).map(\.stamp).max()
    try demand(
      .recorded, latest.map { $0 < transaction.stamp } ?? true,
      "the stamp \(transaction.stamp) is not after what was known, \(String(describing: latest))")
    history.append(transaction)
    device.recorded = max(device.recorded, record.sequence)
  }
}
