import TributarySQLite
import TributaryStore

/// The appliers that write the rows of each table; each is made when it is first needed.
final class TableAppliers {
  private let connection: Connection
  private let constraints: ConstraintSet
  private let exceptions: Exceptions
  private var appliers: [RowApplier?]
  private var bulks: [Int: BulkInsertion] = [:]
  private var firesTriggers: [Int: Bool] = [:]

  init(_ connection: Connection, _ constraints: ConstraintSet, _ exceptions: Exceptions) {
    self.connection = connection
    self.constraints = constraints
    self.exceptions = exceptions
    appliers = constraints.schema.tables.map { _ in nil }
  }

  /// The appliers that have been needed so far.
  var used: [RowApplier] { appliers.compactMap(\.self) }

  func applier(_ table: Int) throws -> RowApplier {
    if let known = appliers[table] { return known }
    let applier = try RowApplier(
      number: table, connection: connection, exceptions: exceptions, constraints: constraints)
    appliers[table] = applier
    return applier
  }

  /// Returns the bulk insertion for new rows of a table; `nil` if each must be applied separately.
  func bulkInsertion(_ table: Int, of batch: MergeBatch) throws -> BulkInsertion? {
    if exceptions.hasConflicts(table) || exceptions.hasRowsAway(table) { return nil }
    if let known = bulks[table] { return known }
    guard try !firesTriggers(on: table) else { return nil }
    let bulk = try BulkInsertion(
      constraints.schema.tables[table], number: table, connection: connection, batch: batch)
    bulks[table] = bulk
    return bulk
  }

  /// Forgets the rows that a failed attempt may have left behind.
  func removeWaitingRows() {
    for bulk in bulks.values { bulk.removeAll() }
  }

  /// Whether triggers fire on a table. If they do, SQLite would read all rows before it inserts the first
  /// one. The statement's OR FAIL would also apply to the trigger's statements, so a row could lack what the
  /// trigger does for it.
  private func firesTriggers(on table: Int) throws -> Bool {
    if let known = firesTriggers[table] { return known }
    let fires = try ImportTriggers(connection).fire(on: constraints.schema.tables[table].name)
    firesTriggers[table] = fires
    return fires
  }
}
