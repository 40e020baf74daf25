import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

extension MergeBatch {
  /// Whether there were conflicts when the SQLite transaction began.
  package var hadConflicts: Bool { exceptions.hadConflicts }

  /// Rereads what others have written. Must be called after a SQLite transaction has begun.
  ///
  /// - Parameter milliseconds: the end time of conflicts that end.
  package func start(milliseconds: UInt64) throws {
    exceptions.milliseconds = milliseconds
    try exceptions.reload()
  }

  /// Puts rows that only changed places back into their table, as far as their keys are free.
  func putBack(_ applier: RowApplier) throws {
    // If rows are held, a key does not simply go to the first row to arrive.
    guard applier.hasRowsAway, !exceptions.hasHeldRows(applier.number) else { return }
    for row in try applier.putBack() { applied.note(back: row, applier.number) }
  }

  /// Applies the constraints when all rows are in place. Must be called before COMMIT.
  ///
  /// - Parameter histories: returns all changes of rows, including this batch's, from the logs.
  /// - Returns: the conflicts that were not there before.
  /// - Throws: `MergeError.constraint` if a constraint still does not hold.
  package func finish(histories: @escaping Resolver.Histories) throws -> [Conflict] {
    defer { applied.references.removeAll() }
    for applier in appliers.used { try putBack(applier) }
    var lifted: [RowIdentity: Resolver.Lifted] = [:]
    for table in schema.tables.indices {
      for (key, row) in exceptions.rowsAway(table) where row.isWritten || row.shown != nil {
        lifted[RowIdentity(table: table, key: key)] = row
      }
    }
    let orphans = try applied.references.orphans()
    if lifted.isEmpty, orphans.isEmpty, !exceptions.hasRows { return exceptions.newConflicts }
    let outcome: ResolverOutcome
    do {
      outcome = try Resolver(connection, constraints, histories: histories).resolve(
        lifted, orphans: orphans, concerns: exceptions.concerns,
        milliseconds: exceptions.milliseconds)
    } catch let error as SQLiteError where error.isConstraintViolation {
      // For a constraint of a table, SQLite says which one it is; for a virtual table, this is all it says.
      guard error.message == "constraint failed" else {
        throw MergeError(
          .constraint, error.message,
          remedy: "change the row that breaks the constraint, here or there, then sync again")
      }
      throw MergeError(
        .constraint,
        "a trigger writes into a virtual table what that does not take (\(error.message))",
        remedy:
          "build anew what triggers fill (a full-text index t by `INSERT INTO t(t) VALUES('rebuild')`, or by removing "
          + "its rows), and give it triggers for DELETE and UPDATE, too, then sync again")
    }
    applied.note(outcome)
    return exceptions.newConflicts + outcome.conflicts
  }

  /// Decides again about all rows that are not visible as they really are. `takeChanges` then returns the
  /// rows that this changes.
  ///
  /// - Returns: the conflicts that were not there before.
  package func resolveAll(histories: @escaping Resolver.Histories) throws -> [Conflict] {
    let outcome = try Resolver(connection, constraints, histories: histories).resolve(
      [:], orphans: [], concerns: nil, milliseconds: exceptions.milliseconds)
    applied.note(outcome)
    return outcome.conflicts
  }
}
