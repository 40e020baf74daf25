internal import TributaryCore
internal import TributaryStore

extension Simulation {
  /// Makes the application commit a random write, and adds its record to the history.
  func write(on device: SimulatedDevice, using random: inout SeededGenerator) throws {
    let store = device.store
    let known = try store.knowledge()
    let before = try store.contents()
    generator.reseed(random.next())
    let write = generator.nextWrite(for: before)
    let version = random.once(in: 8) ? store.versions.randomElement(using: &random) : nil
    note("\(known[device.peer].next): \(write)")
    let isCommitted = try demand(.reported, "device \(device.number) cannot write") {
      try store.run(write, basedOn: version)
    }
    guard let record = try store.record(known[device.peer].next) else {
      let difference = try store.contents().difference(from: before)
      try demand(.recorded, difference.isEmpty, "no record of \(difference)")
      return
    }
    try demand(.recorded, isCommitted, "a record of what was refused: \(record.changes)")
    if hasDoubles { return try keepPromises(of: device) }
    try append(record, of: device, knowing: known)
    device.recorded = record.sequence
  }

  /// Makes the application commit a random write while the store synchronises in another thread;
  /// its record is read later.
  func writeWithin(_ device: SimulatedDevice, using random: inout SeededGenerator) {
    do {
      generator.reseed(random.next())
      let write = generator.nextWrite(for: try device.store.contents())
      note("meanwhile: \(write)")
      _ = try device.store.run(write, basedOn: nil)
      device.recorded = try device.store.lastRecorded()
    } catch {
      device.writeFailure = error
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

  private func append(
    _ record: RecordedTransaction, of device: SimulatedDevice, knowing known: Knowledge
  ) throws {
    var others = known
    others[device.peer] = .zero
    try demand(.recorded, !record.changes.isEmpty, "a record of nothing")
    try demand(
      .recorded, record.knowledge == others,
      "recorded the knowledge \(record.knowledge.entries) instead of \(others.entries)")
    let transaction = ReferenceTransaction(
      stamp: Stamp(time: record.time, peer: device.peer), sequence: record.sequence,
      knowledge: record.knowledge, basis: record.basis, changes: record.changes)
    let latest = history.known(known).map(\.stamp).max()
    try demand(
      .recorded, latest.map { $0 < transaction.stamp } ?? true,
      "the stamp \(transaction.stamp) is not after what was known, \(String(describing: latest))")
    history.append(transaction)
  }
}
