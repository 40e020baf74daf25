internal import TributaryCore
internal import TributaryTesting

extension Simulation {
  /// Resolves one of the device's conflicts, in either way, while others may resolve it too.
  func settle(_ device: SimulatedDevice, using random: inout SeededGenerator) throws {
    let store = device.store
    let known = try store.knowledge()
    // Restoring rows needs the logs.
    guard hasLogs(of: known, device),
      let (id, conflict) = try store.conflicts().randomElement(using: &random)
    else { return }
    let keeps = random.once(in: 2)
    note("\(keeps ? "keeps" : "restores") \(conflict)")
    let before = try store.contents()
    let isSettled = try store.settle(id, keeping: keeps)
    guard
      let record = try nextRecord(of: device, knowing: known, before, isCommitted: isSettled)
    else { return }
    try append(record, of: device, knowing: known)
    try check(record, of: conflict, keeping: keeps)
    try compare(device)
  }

  /// Checks that a row that is kept or restored is written, so that it is not lost if another
  /// device deletes it at the same time.
  private func check(
    _ record: RecordedTransaction, of conflict: ReferenceConflict, keeping keeps: Bool
  ) throws {
    guard conflict.isHeld else { return }
    let schema = generator.schema[conflict.table]
    let written = record.changes.filter { change in
      change.table == conflict.table && change.operation != .delete
    }
    let isWritten = written.contains { schema.canonical($0.key) == schema.canonical(conflict.key) }
    if keeps {
      try demand(.recorded, !isWritten, "the held row is written again: \(record.changes)")
      // Without a winner, nothing is visible in its place.
      guard conflict.kind == .unique, conflict.winner != conflict.loser else { return }
      try demand(
        .recorded, !written.isEmpty, "the row that is kept is not written: \(record.changes)")
    } else {
      try demand(.recorded, isWritten, "the row that is restored is not written: \(record.changes)")
    }
  }
}
