import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

extension MergeBatch {
  /// Writes the rows and empties the batch; the open SQLite transaction continues.
  ///
  /// - Throws: `MergeError`, `SQLiteError`; the caller must then roll back.
  public func apply() throws {
    // A failed attempt may have left rows behind.
    for bulk in bulks.values { bulk.removeAll() }
    bulk = nil
    try spendNumbers()
    var table = -1
    for row in order() {
      if table != Int(index.table(row)) {
        try endBulk()
        table = Int(index.table(row))
        bulk = try bulkInsertion(table)
      }
      if !joinsBulk(row) {
        try endBulk()
        try apply(row: row)
        // The row that it met may concern those behind it.
        bulk = try bulkInsertion(table)
      }
    }
    try endBulk()
    for case let applier? in appliers { try putBack(applier) }
    removeAll()
  }

  /// Returns what was inserted, updated and deleted since the last call, for tables with changes.
  public func takeChanges() -> [(table: String, changes: TableChanges)] {
    defer { changes = Array(repeating: TableChanges(), count: schema.tables.count) }
    return zip(schema.tables, changes).filter { !$0.1.isEmpty }.map { ($0.0.name, $0.1) }
  }

  /// Returns row numbers by table and roughly by key, so that rows that are neighbours in the file
  /// are written together.
  private func order() -> [Int] {
    var keys: [(table: UInt32, prefix: UInt64, row: Int)] = []
    keys.reserveCapacity(rows.count)
    var isSorted = true
    for row in rows.indices {
      let entry = (index.table(row), KeyPrefix.prefix(of: index.key(row)), row)
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
    let operation = operations[Int(rows[row].first)]
    guard operation.operation.putsRow, operation.next < 0,
      mappings[Int(operation.mapping)].isIdentity
    else { return false }
    bulk.append(row, start: operation.start, count: operation.count)
    return true
  }

  /// Returns the bulk insertion for new rows of a table; `nil` if each must be applied separately.
  private func bulkInsertion(_ table: Int) throws -> BulkInsertion? {
    if exceptions.hasConflicts(table) || exceptions.hasRowsAway(table) { return nil }
    if let known = bulks[table] { return known }
    guard try !firesTriggers(on: table) else { return nil }
    let new = try BulkInsertion(
      schema.tables[table], number: table, connection: connection, batch: self)
    bulks[table] = new
    return new
  }

  /// Whether triggers fire on a table. SQLite would then read all rows before it inserts the first, and the
  /// statement's OR FAIL would apply to the trigger's statements too: a row would lack what the trigger does
  /// for it.
  private func firesTriggers(on table: Int) throws -> Bool {
    if let known = firesTriggers[table] { return known }
    let fires = try ImportTriggers(connection).fire(on: schema.tables[table].name)
    firesTriggers[table] = fires
    return fires
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
    // If one row already exists, others do too.
    for row in bulk.takeAll().dropFirst(count) { try apply(row: row) }
  }

  private func apply(row: Int) throws {
    let first = operations[Int(rows[row].first)]
    let table = Int(mappings[Int(first.mapping)].tableNumber)
    let applier = try applier(table)
    if exceptions.follows(table) {
      try exceptions.didMeet(RowIdentity(table: table, key: Array(index.key(row))))
    }
    // The author of a row's last deletion matters to those that refer to it, even if the row was
    // already dead.
    if exceptions.isConnected(table), first.next >= 0 || first.operation == .delete {
      exceptions.didChange(
        table: table, key: try schema.tables[table].keyValues(Array(index.key(row))), isNew: false)
    }
    do {
      if first.next < 0, !applier.table.hasPolicies {
        try applySingle(row, first, applier, table)
      } else {
        try applyComposite(row, applier, table)
      }
    } catch let error as SQLiteError where error.isConstraintViolation {
      throw Self.violation(error, applier.table)
    }
  }

  func applier(_ table: Int) throws -> RowApplier {
    if let applier = appliers[table] { return applier }
    let applier = try RowApplier(
      number: table, connection: connection, exceptions: exceptions, constraints: constraints)
    appliers[table] = applier
    return applier
  }

  private func applySingle(
    _ row: Int, _ operation: RowOperation, _ applier: RowApplier, _ table: Int
  ) throws {
    let mapping = mappings[Int(operation.mapping)]
    let effect = try withCells(applier.table) { cells in
      var cursor = ImageCursor(image(operation))
      if operation.operation == .delete {
        for source in mapping.sourceKeys { cells[mapping.columns[source]] = try cursor.next() }
      } else {
        for source in 0..<mapping.sourceColumnCount {
          cells[mapping.columns[source]] = try cursor.next()
        }
      }
      let effect =
        switch operation.operation {
        case .insert, .replace: try applier.put(cells)
        case .update: try applier.update(cells)
        case .delete: try applier.delete(cells)
        }
      note(effect, cells, table)
      return effect
    }
    if exceptions.hasConflicts(table) || mayMiss(operation, effect) {
      try examine([operation], row, applier, effect)
    }
  }

  private func applyComposite(_ row: Int, _ applier: RowApplier, _ table: Int) throws {
    let list = operations(of: row)
    var outcome = RowOutcome(applier.table)
    for operation in list.drop(while: { !$0.isNew }) {
      try outcome.append(
        operation.operation, image: image(operation), mapping: mappings[Int(operation.mapping)],
        isNew: operation.isNew)
    }
    outcome.finish(isKey: applier.isKey)
    let effect = try withCells(applier.table) { cells in
      var conditional: [(column: Int, view: ValueView)] = []
      if outcome.isPending { try settle(&outcome, applier) }
      for column in cells.indices {
        guard let cell = outcome.cells[column] else { continue }
        if cell.isConditional, !applier.isKey[column] {
          conditional.append((column, cell.view))
        } else {
          cells[column] = cell.view
        }
      }
      let effect: RowApplier.Effect
      switch outcome.kind {
      case .nothing: return RowApplier.Effect.none
      case .update: effect = try applier.update(cells)
      case .put: effect = try applier.put(cells, conditional: conditional)
      case .putAfterDelete:
        // If every column is given, there is no default to return to.
        let wasThere =
          cells.contains { $0.kind == .absent } ? try applier.delete(cells) == .deleted : false
        let put = try applier.put(cells)
        effect = wasThere && put == .inserted ? .updated : put
      case .delete: effect = try applier.delete(cells)
      }
      note(effect, cells, table)
      return effect
    }
    try examine(list, row, applier, effect)
  }

  /// Merges what policies have left open into the row's present values.
  private func settle(_ outcome: inout RowOutcome, _ applier: RowApplier) throws {
    let key = applier.table.shape.keys.map { outcome.cells[$0.column]?.view.value ?? .null }
    guard let row = try applier.row(key) else { return }
    for column in outcome.cells.indices {
      if outcome.cells[column]?.isPending == true { outcome.settle(column, over: row[column]) }
    }
  }

  /// Returns all operations on a row, in order of stamp.
  func operations(of row: Int) -> [RowOperation] {
    var list: [RowOperation] = []
    var number = rows[row].first
    while number >= 0 {
      list.append(operations[Int(number)])
      number = list[list.count - 1].next
    }
    if !rows[row].isOrdered { list.sort { $0.precedes($1) } }
    return list
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

  func note(
    _ effect: RowApplier.Effect, _ cells: UnsafeMutableBufferPointer<ValueView>, _ table: Int
  ) {
    guard effect != .none else { return }
    let keys = schema.tables[table].shape.keys
    key.removeAll()
    for part in keys { key.append(cells[part.column]) }
    tell(effect, key.bytes, table)
    references.note(effect, cells, table: table)
    if exceptions.isConnected(table) { noteConcern(effect, cells, table) }
  }

  /// Records what may concern rows that are not visible as they are.
  private func noteConcern(
    _ effect: RowApplier.Effect, _ cells: UnsafeMutableBufferPointer<ValueView>, _ table: Int
  ) {
    let mayConcern =
      effect != .updated
      || cells.indices.contains {
        cells[$0].kind != .absent && constraints.mayConcernOthers(table: table, column: $0)
      }
    guard mayConcern else { return }
    exceptions.didChange(
      table: table, key: schema.tables[table].shape.keys.map { cells[$0.column].value ?? .null },
      isNew: effect == .inserted)
  }

  /// Records what happened to the row with a key, in the log format.
  func tell(_ effect: RowApplier.Effect, _ key: UnsafeRawBufferPointer, _ table: Int) {
    changes[table].append(key, effect, width: schema.tables[table].shape.keys.count)
  }

  static func violation(_ error: SQLiteError, _ table: TableDescription) -> MergeError {
    MergeError(
      .constraint, "table \(table.name): \(error.message)",
      remedy: "change one of the rows that claim the same value, here or there, then sync again")
  }
}
