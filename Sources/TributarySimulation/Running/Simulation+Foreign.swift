internal import TributaryCore
internal import TributaryStore
internal import TributaryTesting

/// Writes by programs that do not know Tributary.
extension Simulation {
  /// Writes as another program. Its commit cannot be refused, so it is recorded, whatever the merge makes of
  /// it.
  func writeAsOther(
    _ write: RandomWrite, _ device: SimulatedDevice, _ known: Knowledge,
    _ before: ReferenceContents, using random: inout SeededGenerator
  ) throws {
    let enforces = random.once(in: 2)
    note("another program, \(enforces ? "with" : "without") foreign keys")
    let isCommitted = try device.store.runAsOther(write, enforcingForeignKeys: enforces)
    guard
      let record = try nextRecord(of: device, knowing: known, before, isCommitted: isCommitted)
    else { return }
    if !plan.isConstrained {
      try compare(
        record.changes.compactMap { unlessItKept(before, $0) },
        with: changes(
          before: before, after: try device.store.contents(),
          // A comparison cannot distinguish a reinserted row from an updated one.
          reinserted: device.store.captures == .triggers
            ? write.reinserted(before: before, schema: generator.schema) : [],
          schema: generator.schema))
    }
    try append(record, of: device, knowing: known)
    // Held rows may have to be looked up in the logs.
    if plan.isConstrained { try synchronize(device, using: &random) }
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

  /// Compares the recorded changes with the actual changes.
  func compare(_ recorded: [ReferenceChange], with changes: [ReferenceChange]) throws {
    func ordered(_ changes: [ReferenceChange]) -> [ReferenceChange] {
      changes.sorted { a, b in
        (a.table, generator.schema[a.table].canonical(a.key))
          < (b.table, generator.schema[b.table].canonical(b.key))
      }
    }
    try demand(
      .recorded, ordered(recorded) == ordered(changes),
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
