import TributaryCore
import TributaryHorizon
import TributaryLog
import TributarySQLite
import TributaryStore

/// Writes what is issued again into the outbox. These are the first transactions of an identity. They know
/// exactly one horizon, and follow directly after it.
struct ReissueLog {
  let connection: Connection
  let declaration: Declaration
  let schema: ReplicatedSchema

  /// What was written.
  struct Written {
    var transactions: UInt64 = 0
    /// The number of rows that were deleted and stay.
    var undeleted = 0
  }

  /// Writes the transactions.
  ///
  /// - Throws: `StoreError` with the code `clock` if there are no times after the horizon.
  func write(_ plan: ReissuePlan) throws -> Written {
    var registry = try ShapeRegistry(connection)
    let shapes = try schema.tables.map { try registry.number(of: $0.shape) }
    var count: UInt64 = 0
    for losses in try plan.losses() {
      count += 1
      var lost = JoiningRecord(try record(count), connection)
      for step in losses { try Self.write(step, shapes, to: &lost) }
      _ = try lost.finish()
    }
    var written = JoiningRecord(try record(count + 1), connection)
    var restored = JoiningRecord(try record(count + 2), connection)
    let undeleted = try plan.forEach {
      try Self.write($0, shapes, to: &written)
    } restore: {
      try Self.write($0, shapes, to: &restored)
    }
    let hasWritten = try written.finish()
    let hasRestored = try restored.finish()
    if hasRestored, !hasWritten { try close(gapAt: count + 1) }
    return Written(
      transactions: count + (hasWritten ? 1 : 0) + (hasRestored ? 1 : 0), undeleted: undeleted)
  }

  /// Returns a transaction without changes. It knows nothing of those before it, so that each of them that
  /// loses leaves a conflict.
  func record(_ number: UInt64) throws -> Outbox.Record {
    let latest = declaration.times.values.max() ?? .zero
    guard latest.rawValue <= UInt64.max - number else {
      throw StoreError(
        .clock, "the clock has run out of times", path: connection.path,
        remedy: "a peer with a broken clock has written: see `tributary doctor` of the container")
    }
    return Outbox.Record(
      sequence: SequenceNumber(number), time: HybridTime(rawValue: latest.rawValue + number),
      schema: try SchemaNames(connection).number(of: schema.name),
      basis: number == 1 ? nil : declaration.horizon)
  }

  private func close(gapAt number: UInt64) throws {
    let record = try record(number)
    let (from, to) = (
      Value.integer(Int64(number + 1)), Value.integer(Int64(number))
    )
    try connection.prepare("UPDATE tributary_outbox SET sequence = ?, time = ? WHERE sequence = ?")
      .run(to, .integer(Int64(bitPattern: record.time.rawValue)), from)
    try connection.prepare("UPDATE tributary_outbox_piece SET sequence = ? WHERE sequence = ?")
      .run(to, from)
  }

  private static func write(
    _ step: ReissuePlan.Step, _ shapes: [UInt32], to record: inout JoiningRecord
  ) throws {
    let shape = shapes[step.table]
    switch step.write {
    case .put(let row, let operation): try record.put(row, operation, shape)
    case .update(let row, let columns): try record.update(row, columns, shape)
    case .delete(let key): try record.delete(key, shape)
    }
  }
}
