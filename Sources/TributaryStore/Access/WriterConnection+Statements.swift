import TributaryCore
import TributaryLog
import TributarySQLite

/// The effects of statements on the capture.
extension WriterConnection {
  /// How much has been captured so far. Take it before a statement runs, and pass it to the calls after it.
  var mark: Mark {
    Mark(changes: capture.pointee.changes.count, refusals: capture.pointee.refusals.count)
  }

  /// How much had been captured at one moment.
  struct Mark {
    let changes: Int
    let refusals: Int
  }

  /// Discards what a failed statement had captured.
  func statementFailed(since mark: Mark) {
    guard capture.pointee.isActive else { return }
    if connection.changes == 0 {
      capture.pointee.takeBackRefusals(after: mark.refusals)
    }
    guard capture.pointee.changes.count > mark.changes else { return }
    // Under OR FAIL, the rows before the failure stay, and SQLite counts them.
    if connection.changes == 0 {
      capture.pointee.undone.append(mark.changes..<capture.pointee.changes.count)
    }
    for index in capture.pointee.tables.indices {
      capture.pointee.tables[index].isAscending = false
    }
  }

  /// Takes account of a statement that has run.
  func statementDidRun(_ kind: StatementKind) throws {
    switch kind {
    case .savepoint(let name): transaction.open(name, capture.pointee)
    case .release(let name): transaction.release(name)
    case .rollbackTo(let name):
      guard let kept = transaction.rollBack(to: name) else { return }
      capture.pointee.changes.truncate(to: kept.changes)
      capture.pointee.count = kept.count
      capture.pointee.takeBackRefusals(after: kept.refusals)
      capture.pointee.undone.removeAll { $0.lowerBound >= kept.changes }
      // The row with the largest key may have been rolled back; from here on, rows are compared one by one.
      for index in capture.pointee.tables.indices {
        capture.pointee.tables[index].isAscending = false
      }
      // A table may have been rolled back too.
      try schemaMayHaveChanged()
      transaction.rollBackDepartures(to: kept)
    case .schema: try schemaMayHaveChanged(byStatement: true)
    default: break
    }
  }

  /// Removes the capture's triggers before a statement that drops a column: SQLite drops no column that a
  /// trigger names. They are made again afterwards.
  ///
  /// - Returns: whether it is such a statement, and there are such triggers.
  func willLoseColumn(to statement: Statement) throws -> Bool {
    guard statement.kind == .schema else { return false }
    let tokens = SQLScanner(Array(statement.sql.utf8)).tokens
    guard tokens.first?.isWord("ALTER") == true, tokens.contains(where: { $0.isWord("DROP") }),
      try ForeignCapture(connection).isUsed()
    else { return false }
    try ForeignCapture(connection).removeTriggers()
    return true
  }

  /// Makes the triggers again that were removed for a statement that has failed.
  func didKeepColumn() throws {
    guard connection.isInTransaction else { return }
    try ForeignCapture(connection).renew(schema)
    schemaVersion = try connection.integer("PRAGMA schema_version")
  }

  private func schemaMayHaveChanged(byStatement: Bool = false) throws {
    guard try connection.integer("PRAGMA schema_version") != schemaVersion else { return }
    let old = schema
    let formerlyLeftOut = leftOut
    transaction.schemaBefore = transaction.schemaBefore ?? schema
    let active = capture.pointee.isActive
    capture.pointee.isActive = false
    defer { capture.pointee.isActive = active }
    try loadSchema()
    if try ForeignCapture(connection).isUsed() {
      // No other program can have written in the meantime.
      try ForeignCapture(connection).renew(schema)
      schemaVersion = try connection.integer("PRAGMA schema_version")
    }
    try transaction.departures.note(
      from: old, to: schema, original: transaction.schemaBefore ?? old
    ) {
      var written: Set<UInt32> = []
      var reader = ChangeListReader(capture.pointee.changes.bytes)
      while let change = try reader.next(layout: registry.layout) { written.insert(change.shapeID) }
      return written.compactMap { registry.shapes[$0] }
    }
    if byStatement {
      try leftOut.check(
        since: formerlyLeftOut, shared: schema,
        before: [old, transaction.schemaBefore].compactMap(\.self), path: connection.path)
      try captureRows(ofTablesNotIn: old)
    }
    // The ascending keys of the new tables start here, among rows that may have been changed
    // before.
    if capture.pointee.count > 0 {
      for index in capture.pointee.tables.indices {
        capture.pointee.tables[index].isAscending = false
      }
    }
    for table in schema.tables {
      let known = Set(old.table(named: table.name)?.columns.map { SQLName($0.name) } ?? [])
      if !known.isEmpty { try StoredDefaults.complete(table, except: known, in: connection) }
    }
  }
}
