import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

extension MergeBatch {
  /// Whether there were conflicts when the SQLite transaction began.
  public var hadConflicts: Bool { exceptions.hadConflicts }

  /// Reads again what others have written. Must be called after a SQLite transaction has begun.
  ///
  /// - Parameter milliseconds: the end time of conflicts that end.
  public func start(milliseconds: UInt64) throws {
    exceptions.milliseconds = milliseconds
    try exceptions.reload()
  }

  /// Puts rows that only changed places back into their table, as far as their keys are free.
  func putBack(_ applier: RowApplier) throws {
    // If rows are held, it is not the first to arrive that gets a key.
    guard applier.hasRowsAway, !exceptions.hasHeldRows(applier.number) else { return }
    for row in try applier.putBack() {
      tell(row.shown == nil ? .inserted : .updated, row.row, applier.number)
      references.note(row.row, table: applier.number, wasShown: row.shown != nil)
      exceptions.didChange(
        table: applier.number, key: applier.table.key(of: row.row), isNew: false)
    }
  }

  /// Applies the constraints when all rows are in place. Must be called before COMMIT.
  ///
  /// - Parameter histories: returns all changes of rows, including this batch's, from the logs.
  /// - Returns: the conflicts that were not there before.
  /// - Throws: `MergeError.constraint` if a constraint still does not hold.
  public func finish(histories: @escaping Resolver.Histories) throws -> [Conflict] {
    defer { references.removeAll() }
    for case let applier? in appliers { try putBack(applier) }
    var lifted: [RowIdentity: Resolver.Lifted] = [:]
    for table in schema.tables.indices {
      for (key, row) in exceptions.rowsAway(table) where row.isWritten || row.shown != nil {
        lifted[RowIdentity(table: table, key: key)] = row
      }
    }
    let orphans = try references.orphans()
    if lifted.isEmpty, orphans.isEmpty, !exceptions.hasRows { return exceptions.newConflicts }
    let outcome: ResolverOutcome
    do {
      outcome = try Resolver(connection, constraints, histories: histories).resolve(
        lifted, orphans: orphans, concerns: exceptions.concerns,
        milliseconds: exceptions.milliseconds)
    } catch let error as SQLiteError where error.isConstraintViolation {
      throw MergeError(
        .constraint, error.message,
        remedy: "change the row that breaks the constraint, here or there, then sync again")
    }
    tell(outcome)
    return exceptions.newConflicts + outcome.conflicts
  }

  /// Decides again about all rows that are not visible as they are. `takeChanges` returns the rows that this
  /// changes.
  ///
  /// - Returns: the conflicts that were not there before.
  public func resolveAll(histories: @escaping Resolver.Histories) throws -> [Conflict] {
    let outcome = try Resolver(connection, constraints, histories: histories).resolve(
      [:], orphans: [], concerns: nil, milliseconds: exceptions.milliseconds)
    tell(outcome)
    return outcome.conflicts
  }

  /// Adds what the constraints have done to rows that were already written in this transaction, or not.
  private func tell(_ outcome: ResolverOutcome) {
    for (table, list) in Dictionary(grouping: outcome.changes, by: \.table) {
      let later = list.map { change -> (key: [UInt8], effect: RowApplier.Effect) in
        key.removeAll()
        for value in change.key { key.append(value) }
        let effect: RowApplier.Effect =
          switch change.effect {
          case .inserted: .inserted
          case .updated: .updated
          case .deleted: .deleted
          }
        return (Array(key.bytes), effect)
      }
      changes[table].follow(later, width: schema.tables[table].shape.keys.count)
    }
  }

  private func tell(_ effect: RowApplier.Effect, _ row: [Value], _ table: Int) {
    key.removeAll()
    for value in schema.tables[table].key(of: row) { key.append(value) }
    tell(effect, key.bytes, table)
  }
}
