internal import TributaryCore

extension HistoryHarness {
  /// Resolves one of the device's conflicts, in either way, while others may resolve it too.
  mutating func settle(_ device: HarnessDevice) throws {
    // Rows come back from the logs.
    if isMissingLogs(device) { return }
    let known = try device.knowledge()
    guard let (id, conflict) = try device.conflicts().randomElement(using: &random) else { return }
    let keeps = random.once(in: 2)
    trace.append("device \(device.number) \(keeps ? "keeps" : "restores") \(conflict)")
    let before = try device.contents()
    let isSettled = try device.settle(id, keeping: keeps)
    guard let record = try device.record(known[device.peer].next) else {
      trace.append(isSettled ? "  nothing" : "  refused")
      let difference = try device.contents().difference(from: before)
      try demand(difference.isEmpty, "no record of \(difference)")
      return
    }
    try demand(isSettled, "a record of what was refused: \(record.changes)")
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
      try demand(!isWritten, "the held row is written again: \(record.changes)")
      // Without a winner, nothing is visible in its place.
      guard conflict.kind == .unique, conflict.winner != conflict.loser else { return }
      try demand(!written.isEmpty, "the row that is kept is not written: \(record.changes)")
    } else {
      try demand(isWritten, "the row that is restored is not written: \(record.changes)")
    }
  }
}
