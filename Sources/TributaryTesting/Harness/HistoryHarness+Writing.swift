internal import TributaryCore
internal import TributaryStore

/// Writes by applications of the product, and by programs that do not know it.
extension HistoryHarness {
  mutating func write(
    _ device: HarnessDevice, _ occasion: ConstrainedWrites.Occasion = .any
  ) throws {
    let known = try device.knowledge()
    let before = try device.contents()
    let write =
      isConstrained
      ? generator.nextConstrainedWrite(before, occasion) : generator.nextWrite(for: before)
    let isForeign =
      device.hasOthers && (device.captures == .triggers || hasLogs(device, of: known))
      && random.once(in: 2)
    trace.append(
      "device \(device.number)\(isForeign ? ", another program," : "") writes "
        + "\(known[device.peer].next):\n\(write)")
    if isForeign { return try writeAsOther(write, device, known, before) }
    let version = random.once(in: 8) ? device.versions.randomElement(using: &random) : nil
    if let version { trace.append("  based on \(version.knowledge.entries)") }
    let isCommitted = try device.run(write, basedOn: version)
    let after = try device.contents()
    guard let record = try device.record(known[device.peer].next) else {
      trace.append(isCommitted ? "  nothing" : "  refused")
      let difference = after.difference(from: before)
      try demand(difference.isEmpty, "no record of \(difference)")
      return
    }
    try demand(isCommitted, "a record of what was refused: \(record.changes)")
    if !isConstrained {
      try compare(
        record.changes,
        with: changes(
          before: before, after: after,
          reinserted: write.reinserted(before: before, schema: generator.schema),
          schema: generator.schema))
    }
    if record.basis != version?.knowledge {
      // A basis after which nothing came is not recorded.
      try demand(
        record.basis == nil && (version.map { $0.knowledge == known } ?? true),
        "recorded the basis \(String(describing: record.basis))")
    }
    try append(record, of: device, knowing: known)
    if isConstrained { try compare(device) }
  }

  /// Writes as another program. Its commit cannot be refused: it is recorded, whatever the merge
  /// makes of it.
  private mutating func writeAsOther(
    _ write: RandomWrite, _ device: HarnessDevice, _ known: Knowledge, _ before: ReferenceContents
  ) throws {
    let enforces = random.once(in: 2)
    trace.append("  \(enforces ? "with" : "without") foreign keys")
    let isCommitted = try device.runAsOther(write, enforcingForeignKeys: enforces)
    guard let record = try device.record(known[device.peer].next) else {
      trace.append(isCommitted ? "  nothing" : "  refused")
      let difference = try device.contents().difference(from: before)
      return try demand(difference.isEmpty, "no record of \(difference)")
    }
    try demand(isCommitted, "a record of what was refused: \(record.changes)")
    if !isConstrained {
      try compare(
        record.changes.compactMap { unlessItKept(before, $0) },
        with: changes(
          before: before, after: try device.contents(),
          // A comparison does not tell a row that was inserted again from one that was updated.
          reinserted: device.captures == .triggers
            ? write.reinserted(before: before, schema: generator.schema) : [],
          schema: generator.schema))
    }
    try append(record, of: device, knowing: known)
    // Held rows may have to be looked up in the logs.
    if isConstrained { try synchronize(device) }
  }

  /// Allows for a large value that was changed and changed back: it may be recorded, because its former value
  /// is not journalled.
  private func unlessItKept(
    _ before: ReferenceContents, _ change: ReferenceChange
  ) -> ReferenceChange? {
    let table = generator.schema[change.table]
    guard let row = before.tables[change.table]?[table.canonical(change.key)] else { return change }
    func isKept(_ cell: (key: String, value: Value)) -> Bool {
      row[cell.key]?.isIdentical(to: cell.value) ?? false
    }
    let large = row.filter { $0.value.byteCount > 4096 }
    switch change.operation {
    case .update:
      var rest = change
      rest.values = change.values.filter { !isKept($0) || large[$0.key] == nil }
      return rest.values.isEmpty ? nil : rest
    case .replace: return large.isEmpty || !change.values.allSatisfy(isKept) ? change : nil
    case .insert, .delete: return change
    }
  }

  mutating func append(
    _ record: RecordedTransaction, of device: HarnessDevice, knowing known: Knowledge
  ) throws {
    trace.append("  at \(record.time.milliseconds)+\(record.time.counter): \(record.changes)")
    try demand(!record.changes.isEmpty, "a record of nothing")
    var others = known
    others[device.peer] = .zero
    try demand(
      record.knowledge == others,
      "recorded the knowledge \(record.knowledge.entries) instead of \(others.entries)")
    let transaction = ReferenceTransaction(
      stamp: Stamp(time: record.time, peer: device.peer), sequence: record.sequence,
      knowledge: record.knowledge, basis: record.basis, changes: record.changes)
    let latest = history.known(known).map(\.stamp).max()
    try demand(
      latest.map { $0 < transaction.stamp } ?? true,
      "the stamp \(transaction.stamp) is not after what was known, \(String(describing: latest))")
    history.append(transaction)
  }

  private func compare(_ recorded: [ReferenceChange], with changes: [ReferenceChange]) throws {
    func ordered(_ changes: [ReferenceChange]) -> [ReferenceChange] {
      changes.sorted { a, b in
        (a.table, generator.schema[a.table].canonical(a.key))
          < (b.table, generator.schema[b.table].canonical(b.key))
      }
    }
    try demand(
      ordered(recorded) == ordered(changes),
      "recorded\n\(ordered(recorded))\ninstead of\n\(ordered(changes))")
  }
}

extension Value {
  /// The size of a text or blob.
  fileprivate var byteCount: Int {
    switch self {
    case .text(let bytes), .blob(let bytes): bytes.count
    default: 0
    }
  }
}
