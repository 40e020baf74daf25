import TributaryCore
import TributaryLog
import TributarySQLite

/// Turns what other programs have written, according to the journals, into one transaction of the store,
/// within the open SQLite transaction.
struct ForeignDigest {
  let connection: Connection
  let schema: ReplicatedSchema
  let shapeNumbers: [SQLName: UInt32]
  let constraints: ConstraintSet
  /// Whether another program has changed the schema, and perhaps the constraints with it; if so, all rows are
  /// checked.
  let hasNewSchema: Bool

  struct Outcome {
    /// The number of changed rows; if it is 0, nothing is recorded.
    var rows = 0
    /// The rows whose parents do not exist.
    var orphans: [(table: Int, row: [Value])] = []
  }

  /// Reads the journals.
  ///
  /// - Parameter change: called for each changed row, with a function that appends the change.
  func run(_ change: ((inout ByteBuffer) throws -> Void) throws -> Void) throws -> Outcome {
    var outcome = Outcome()
    var keyless: Set<SQLName> = []
    var orphans = ForeignOrphans(connection, constraints)
    var buffer = ByteBuffer()
    for (position, table) in schema.tables.enumerated() {
      guard let number = shapeNumbers[SQLName(table.name)], table.refusal == nil else { continue }
      // Looked up when it is first needed.
      var hasKeyless: Bool?
      let reader = RowReader(table)
      let effect = RowEffect(table: table, number: number, path: connection.path)
      try CaptureJournal(table: table).rows(connection) {
        keyless.insert(SQLName(table.name))
      } _: { row in
        buffer.removeAll()
        let current = try reader.row(row.key, in: connection)
        if let current {
          try append(row, current, effect, &buffer)
          try orphans.note(current, table: position)
        } else if row.existed, row.mayHaveLostKey,
          try hasKeylessRows(table, &hasKeyless)
        {
          // As long as such rows exist, this may be one of them.
          keyless.insert(SQLName(table.name))
        } else if row.existed {
          effect.appendDelete(row.key, &buffer)
        }
        guard !buffer.isEmpty else { return }
        if row.existed { try orphans.noteGone(row.old, table: position) }
        outcome.rows += 1
        try change { $0.append(buffer.bytes) }
      }
    }
    try KeylessRows(connection).note(keyless)
    // These rows may have had the unique keys for which other rows are held.
    if !keyless.isEmpty { try Settings(connection).set(.unresolved, .integer(1)) }
    if hasNewSchema { orphans.noteAllGone() }
    outcome.orphans = try orphans.finish()
    return outcome
  }

  private func hasKeylessRows(_ table: TableDescription, _ known: inout Bool?) throws -> Bool {
    if let known { return known }
    let found = try KeylessRows(connection).refusal(of: table) != nil
    known = found
    return found
  }

  private func append(
    _ row: CaptureJournal.Row, _ current: [Value], _ effect: RowEffect, _ buffer: inout ByteBuffer
  ) throws {
    let start = buffer.count
    let old = row.existed ? row.before(current) : nil
    do {
      try effect.append(from: old, to: current, isPut: row.isPut, into: &buffer)
    } catch  where error.code == .policy {
      // The program's write can no longer be refused. Any value that the policy does not allow is reverted.
      buffer.truncate(to: start)
      let allowed = effect.allowed(from: old, to: current)
      try put(allowed, instead: current, effect.table)
      try effect.append(from: old, to: allowed, isPut: row.isPut, into: &buffer)
    }
  }

  private func put(_ row: [Value], instead old: [Value], _ table: TableDescription) throws {
    let columns = row.indices.filter { !row[$0].hasSameBits(as: old[$0]) }
    let assignments = columns.map { "\(table.shape.columns[$0].quotedIdentifier) = ?" }
    let statement = try connection.prepare(
      "UPDATE main.\(table.name.quotedIdentifier) SET \(assignments.joined(separator: ", ")) WHERE \(table.keyCondition)"
    )
    try statement.bind(columns.map { row[$0] } + table.key(of: row))
    try statement.run()
  }
}
