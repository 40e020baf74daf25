import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

extension MergeBatch {
  /// Writes the rows and empties the batch; the open SQLite transaction continues.
  ///
  /// - Throws: `MergeError`, `SQLiteError`; the caller must then roll back.
  package func apply() throws {
    // A failed attempt may have left rows behind.
    appliers.removeWaitingRows()
    bulk = nil
    try spendNumbers()
    var table = -1
    for row in order() {
      if table != rows.table(row) {
        try endBulk()
        table = rows.table(row)
        bulk = try appliers.bulkInsertion(table, of: self)
      }
      if !joinsBulk(row) {
        try endBulk()
        try apply(row: row)
        // The row that it collided with may concern the rows behind it.
        bulk = try appliers.bulkInsertion(table, of: self)
      }
    }
    try endBulk()
    for applier in appliers.used { try putBack(applier) }
    removeAll()
  }

  /// Returns what was inserted, updated and deleted since the last call, for tables with changes.
  package func takeChanges() -> [(table: String, changes: TableChanges)] { applied.takeAll() }

  /// Returns row numbers by table and roughly by key, so that rows that are close together in the file are
  /// written together.
  private func order() -> [Int] {
    var keys: [(table: Int, prefix: UInt64, row: Int)] = []
    keys.reserveCapacity(rows.numbers.count)
    var isSorted = true
    for row in rows.numbers {
      let entry = (rows.table(row), KeyPrefix.prefix(of: rows.key(row)), row)
      if let last = keys.last, (last.table, last.prefix) > (entry.0, entry.1) { isSorted = false }
      keys.append(entry)
    }
    if !isSorted { keys.sort { ($0.table, $0.prefix) < ($1.table, $1.prefix) } }
    return keys.map(\.row)
  }

  // MARK: New rows in bulk

  /// Adds a row to those that are inserted together.
  ///
  /// - Returns: `false` if it must be applied separately.
  @inline(__always)
  private func joinsBulk(_ row: Int) -> Bool {
    guard let bulk else { return false }
    let operation = rows.first(of: row)
    guard operation.operation.putsRow, operation.next < 0,
      mappings[Int(operation.mapping)].isIdentity
    else { return false }
    bulk.append(row, image: operation.image)
    return true
  }

  /// Applies the rows collected for bulk insertion.
  private func endBulk() throws {
    guard let bulk, !bulk.isEmpty else { return }
    self.bulk = nil
    guard bulk.isWorthwhile else {
      for row in bulk.takeAll() { try apply(row: row) }
      return
    }
    let count = try bulk.run()
    // If one row already exists, others may too.
    for row in bulk.takeAll().dropFirst(count) { try apply(row: row) }
  }

  private func apply(row: Int) throws {
    let first = rows.first(of: row)
    let table = rows.table(row)
    let applier = try appliers.applier(table)
    if exceptions.follows(table) { try exceptions.didMeet(rows.identity(row)) }
    // The author of a row's last deletion matters to rows that refer to it, even if the row was already dead.
    if exceptions.isConnected(table), first.next >= 0 || first.operation == .delete {
      exceptions.didChange(
        table: table, key: try schema.tables[table].keyValues(Array(rows.key(row))), isNew: false)
    }
    do {
      if first.next < 0, !applier.table.hasPolicies {
        try applySingle(row, first, applier)
      } else {
        try applyComposite(row, applier)
      }
    } catch let error as SQLiteError where error.isConstraintViolation {
      var violation = Self.violation(error, applier.table)
      violation.author = rows.orderedOperations(of: row).last { $0.isNew && !$0.takesAway }
        .map { transactions[Int($0.transaction)].side }
      throw violation
    }
  }

  private func applySingle(
    _ row: Int, _ operation: RowOperation, _ applier: RowApplier
  ) throws {
    let effect = try withCells(applier.table) { cells in
      try mappings[Int(operation.mapping)].forEachCell(
        operation.operation, rows.bytes(operation.image)
      ) { cells[$0] = $1 }
      let effect =
        switch operation.operation {
        case .insert, .replace: try applier.put(cells)
        case .update: try applier.update(cells)
        case .delete: try applier.delete(cells)
        }
      applied.note(effect, cells, applier.number)
      return effect
    }
    if exceptions.hasConflicts(applier.number) || mayMiss(CollectionOfOne(operation), effect) {
      try examine([operation], row, applier, effect)
    }
  }

  private func applyComposite(_ row: Int, _ applier: RowApplier) throws {
    let list = try operationsOnce(of: row)
    var outcome = RowOutcome(applier.table)
    var hasNews = false
    // Whether the row is dead, as far as that follows from these operations. They include everything that
    // came after a deletion of which an author did not know, and everything that exists if an author knew
    // nothing.
    var isDead = reach.floor?.isEmpty ?? false
    for operation in list {
      hasNews = hasNews || operation.isNew
      defer { isDead = operation.operation == .delete || isDead && operation.operation == .update }
      if isDead, operation.operation == .update { continue }
      let mark =
        hasMarks && !operation.takesAway ? transactions[Int(operation.transaction)].mark : nil
      let image = rows.bytes(operation.image)
      let mapping = mappings[Int(operation.mapping)]
      if hasNews {
        try outcome.append(
          operation.operation, image: image, mapping: mapping, isNew: operation.isNew, mark: mark)
      } else if let mark, operation.operation == .update {
        try outcome.note(image: image, mapping: mapping, mark: mark)
      }
    }
    outcome.finish(isKey: applier.isKey)
    let effect = try withCells(applier.table) { cells in
      let effect = try apply(&outcome, applier, cells)
      applied.note(effect, cells, applier.number)
      return effect
    }
    try examine(list, row, applier, effect)
  }

  /// Gives a row the result of its operations, using `cells`.
  private func apply(
    _ outcome: inout RowOutcome, _ applier: RowApplier,
    _ cells: UnsafeMutableBufferPointer<ValueView>
  ) throws -> RowApplier.Effect {
    if outcome.isPending { try settle(&outcome, applier) }
    var conditional: [(column: Int, view: ValueView)] = []
    for column in cells.indices {
      guard let cell = outcome.cells[column] else { continue }
      if cell.isConditional, !applier.isKey[column] {
        conditional.append((column, cell.view))
      } else {
        cells[column] = cell.view
      }
    }
    switch outcome.kind {
    case .nothing: return .none
    case .update: return try applier.update(cells)
    case .put: return try applier.put(cells, conditional: conditional)
    case .putAfterDelete:
      // If every column is given, no column has to return to its default.
      let wasThere =
        cells.contains { $0.kind == .absent } ? try applier.delete(cells) == .deleted : false
      let put = try applier.put(cells)
      return wasThere && put == .inserted ? .updated : put
    case .delete: return try applier.delete(cells)
    }
  }

  /// Merges into the row's current values what policies have left open.
  private func settle(_ outcome: inout RowOutcome, _ applier: RowApplier) throws {
    let key = applier.table.shape.keys.map { outcome.cells[$0.column]?.view.value ?? .null }
    guard let row = try applier.row(key) else { return }
    for column in outcome.cells.indices {
      if outcome.cells[column]?.isPending == true { outcome.settle(column, over: row[column]) }
    }
  }

  private func withCells(
    _ table: TableDescription,
    _ body: (UnsafeMutableBufferPointer<ValueView>) throws -> RowApplier.Effect
  ) rethrows -> RowApplier.Effect {
    let count = table.shape.columns.count
    return try withUnsafeTemporaryAllocation(of: ValueView.self, capacity: count) { cells in
      cells.initialize(repeating: .absent)
      return try body(cells)
    }
  }

  static func violation(_ error: SQLiteError, _ table: TableDescription) -> MergeError {
    MergeError(
      .constraint, "table \(table.name): \(error.message)",
      remedy: error.isUniqueViolation
        ? "change one of the rows that claim the same value, here or there, then sync again"
        : "change the row on the device that wrote it, or the constraint here, then sync again")
  }
}
