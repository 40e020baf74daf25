import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Changes that are to be applied together: the net effect of each row is worked out first.
///
/// New changes come in order of stamp. Then the caller adds what the store has already and what is
/// later than the earliest new change; only rows that are in the batch take notice. `apply` writes.
public final class MergeBatch {
  private let connection: Connection
  private let schema: ReplicatedSchema
  private var mappingTable: MappingTable
  private var mappings: [TableMapping] = []
  private var appliers: [RowApplier?]
  private var bulks: [Int: BulkInsertion] = [:]
  /// Where new rows of one table come together; its images are those of this batch.
  private var bulk: BulkInsertion?
  private var mayInsertInBulk = true
  private let foreignKeys: ForeignKeyChecker

  // Each is reached from one method at a time: checking that for every row costs more than the
  // row's key.
  @exclusivity(unchecked) private var images = ByteBuffer(capacity: 1 << 20)
  @exclusivity(unchecked) private var operations: [RowOperation] = []
  @exclusivity(unchecked) private var index = RowKeyIndex()
  /// By row: the first and last of its operations.
  @exclusivity(unchecked) private var rows: [(first: Int32, last: Int32, isOrdered: Bool)] = []
  @exclusivity(unchecked) private var key = ByteBuffer()

  private var stamp: Stamp?

  /// The earliest stamp among the new changes; `nil` when there are none.
  public private(set) var earliest: Stamp?

  /// What has been applied since the last `takeChanges`, by table.
  @exclusivity(unchecked) private var changes: [TableChanges]

  /// - Parameter connection: one that applies rows as they are, with triggers and foreign keys
  ///   silent.
  public init(connection: Connection, schema: ReplicatedSchema, selection: TableSelection) throws {
    self.connection = connection
    self.schema = schema
    mappingTable = MappingTable(schema: schema, selection: selection)
    appliers = Array(repeating: nil, count: schema.tables.count)
    changes = Array(repeating: TableChanges(), count: schema.tables.count)
    foreignKeys = try ForeignKeyChecker(connection, schema: schema)
  }

  /// The number of new changes.
  public var count: Int { operations.count }

  /// The bytes held.
  public var byteCount: Int { images.count }

  /// A number for a shape of some log; `nil` for a table that is left out here.
  ///
  /// - Throws: `MergeError.schema` when the table or a column is not here.
  public func mapping(for shape: TableShape) throws(MergeError) -> Int? {
    guard let mapping = try mappingTable.mapping(for: shape) else { return nil }
    if let number = mappings.firstIndex(where: { $0 === mapping }) { return number }
    mappings.append(mapping)
    return mappings.count - 1
  }

  /// The changes that follow belong to the transaction with this stamp.
  public func begin(_ stamp: Stamp) {
    self.stamp = stamp
    earliest = min(earliest ?? stamp, stamp)
  }

  /// Adds a new change; its bytes are copied.
  public func add(_ change: ChangeView, mapping: Int) throws {
    guard let stamp else { preconditionFailure("begin comes first") }
    try encodeKey(change, mapping)
    let row = index.insert(key.bytes, table: mappings[mapping].tableNumber)
    if row.isNew { rows.append((-1, -1, true)) }
    append(change, mapping, row.number, stamp, isNew: true)
  }

  /// Adds a change that the store has already, if its row is in the batch.
  public func addExisting(_ change: ChangeView, mapping: Int, stamp: Stamp) throws {
    try encodeKey(change, mapping)
    guard let row = index.number(of: key.bytes, table: mappings[mapping].tableNumber) else {
      return
    }
    append(change, mapping, row, stamp, isNew: false)
  }

  private func encodeKey(_ change: ChangeView, _ mapping: Int) throws(LogError) {
    key.removeAll()
    try mappings[mapping].encoder.encode(change.operation, image: change.image, into: &key)
  }

  private func append(
    _ change: ChangeView, _ mapping: Int, _ row: Int, _ stamp: Stamp, isNew: Bool
  ) {
    let number = Int32(operations.count)
    operations.append(
      RowOperation(
        stamp: stamp, operation: change.operation, mapping: UInt32(mapping), start: images.count,
        count: change.image.count, isNew: isNew, next: -1))
    images.append(change.image)
    if rows[row].first < 0 {
      rows[row].first = number
    } else {
      let last = Int(rows[row].last)
      operations[last].next = number
      if operations[last].stamp > stamp { rows[row].isOrdered = false }
    }
    rows[row].last = number
  }

  // MARK: Applying

  /// Writes the rows and makes the batch empty; the open SQLite transaction goes on.
  ///
  /// - Throws: `MergeError`, `SQLiteError`; the caller then rolls back.
  public func apply() throws {
    // An attempt that failed may have left rows behind.
    for bulk in bulks.values { bulk.removeAll() }
    bulk = nil
    mayInsertInBulk = true
    for row in order() {
      if try !joinBulk(row) { try apply(row: row) }
    }
    try endBulk()
    for case let applier? in appliers { try applier.putBack(all: false) }
    images.removeAll()
    operations.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    index.removeAll()
    stamp = nil
    earliest = nil
  }

  /// Checks what can only be checked when all rows are in place; to be called before COMMIT.
  ///
  /// - Parameter checkingForeignKeys: false where everything has been checked when it was imported.
  /// - Throws: `MergeError.constraint` when a constraint does not hold.
  public func finish(checkingForeignKeys: Bool = true) throws {
    for case let applier? in appliers {
      do {
        try applier.putBack(all: true)
      } catch let error as SQLiteError where error.isConstraintViolation {
        throw Self.violation(error, applier.table)
      }
    }
    if checkingForeignKeys { try foreignKeys.check() } else { foreignKeys.discard() }
  }

  /// What was inserted, updated and deleted since the last call, for tables with changes.
  public func takeChanges() -> [(table: String, changes: TableChanges)] {
    defer { changes = Array(repeating: TableChanges(), count: schema.tables.count) }
    return zip(schema.tables, changes).filter { !$0.1.isEmpty }.map { ($0.0.name, $0.1) }
  }

  /// Row numbers by table and roughly by key, so that neighbours in the file are written together.
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

  /// Puts a row to others that are inserted together.
  ///
  /// - Returns: false when it must be applied by itself; all before it have been applied then.
  private func joinBulk(_ row: Int) throws -> Bool {
    let operation = operations[Int(rows[row].first)]
    let mapping = mappings[Int(operation.mapping)]
    let table = Int(mapping.tableNumber)
    guard mayInsertInBulk, operation.operation.putsRow, operation.next < 0, mapping.isIdentity,
      !applier(table).hasPostponedRows
    else {
      try endBulk()
      return false
    }
    if bulk?.table != table {
      try endBulk()
      bulk = bulkInsertion(table)
    }
    guard let bulk, bulk.isUseful else { return false }
    try bulk.append(row, image: image(operation))
    if bulk.isFull { try runBulk(bulk) }
    return true
  }

  private func bulkInsertion(_ table: Int) -> BulkInsertion {
    if let known = bulks[table] { return known }
    let new = BulkInsertion(schema.tables[table], number: table, connection: connection)
    bulks[table] = new
    return new
  }

  private func runBulk(_ bulk: BulkInsertion) throws {
    guard try bulk.run() else {
      // Where one row is there already, others are too.
      mayInsertInBulk = false
      return try endBulk()
    }
    for place in bulk.rows.indices {
      note(.inserted, bulk.cells(place), schema.tables[bulk.table], bulk.table)
    }
    bulk.removeAll()
  }

  /// Applies the rows that still wait, one by one.
  private func endBulk() throws {
    guard let bulk, !bulk.rows.isEmpty else { return }
    let rows = bulk.rows
    bulk.removeAll()
    for row in rows { try apply(row: row) }
  }

  private func apply(row: Int) throws {
    let first = operations[Int(rows[row].first)]
    let table = Int(mappings[Int(first.mapping)].tableNumber)
    let applier = applier(table)
    do {
      if first.next < 0 {
        try applySingle(first, applier, table)
      } else {
        try applyComposite(row, applier, table)
      }
    } catch let error as SQLiteError where error.isConstraintViolation {
      throw Self.violation(error, applier.table)
    }
  }

  private func applier(_ table: Int) -> RowApplier {
    if let applier = appliers[table] { return applier }
    let applier = RowApplier(schema.tables[table], connection: connection)
    appliers[table] = applier
    return applier
  }

  private func applySingle(_ operation: RowOperation, _ applier: RowApplier, _ table: Int) throws {
    let mapping = mappings[Int(operation.mapping)]
    try withCells(applier.table) { cells in
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
      note(effect, cells, applier.table, table)
    }
  }

  private func applyComposite(_ row: Int, _ applier: RowApplier, _ table: Int) throws {
    var list: [RowOperation] = []
    var number = rows[row].first
    while number >= 0 {
      list.append(operations[Int(number)])
      number = list[list.count - 1].next
    }
    if !rows[row].isOrdered { list.sort { $0.stamp < $1.stamp } }
    var outcome = RowOutcome(columnCount: applier.table.shape.columns.count)
    for operation in list.drop(while: { !$0.isNew }) {
      try outcome.append(
        operation.operation, image: image(operation), mapping: mappings[Int(operation.mapping)],
        isNew: operation.isNew)
    }
    outcome.finish(keys: Set(applier.table.shape.keys.map(\.column)))
    try withCells(applier.table) { cells in
      var conditional: [(column: Int, view: ValueView)] = []
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
      case .nothing: return
      case .update: effect = try applier.update(cells)
      case .put: effect = try applier.put(cells, conditional: conditional)
      case .putAfterDelete:
        // With every column given there is no default to return to.
        let wasThere =
          cells.contains { $0.kind == .absent } ? try applier.delete(cells) == .deleted : false
        let put = try applier.put(cells)
        effect = wasThere ? .updated : put
      case .delete: effect = try applier.delete(cells)
      }
      note(effect, cells, applier.table, table)
    }
  }

  private func image(_ operation: RowOperation) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: images.bytes[operation.start..<operation.start + operation.count])
  }

  private func withCells(
    _ table: TableDescription, _ body: (UnsafeMutableBufferPointer<ValueView>) throws -> Void
  ) rethrows {
    let count = table.shape.columns.count
    try withUnsafeTemporaryAllocation(of: ValueView.self, capacity: count) { cells in
      cells.initialize(repeating: .absent)
      try body(cells)
    }
  }

  private func note(
    _ effect: RowApplier.Effect, _ cells: UnsafeMutableBufferPointer<ValueView>,
    _ table: TableDescription, _ number: Int
  ) {
    guard effect != .none else { return }
    key.removeAll()
    for part in table.shape.keys { key.append(cells[part.column]) }
    switch effect {
    case .inserted: changes[number].inserted.append(key.bytes, width: table.shape.keys.count)
    case .updated: changes[number].updated.append(key.bytes, width: table.shape.keys.count)
    case .deleted: changes[number].deleted.append(key.bytes, width: table.shape.keys.count)
    case .none: break
    }
    foreignKeys.note(effect, cells, table: number)
  }

  private static func violation(_ error: SQLiteError, _ table: TableDescription) -> MergeError {
    MergeError(
      .constraint, "table \(table.name): \(error.message)",
      remedy: "change the row here or there that claims the same, then sync again")
  }
}
