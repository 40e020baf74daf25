import TributaryCore
import TributaryLog
import TributaryStore

extension MergeBatch {
  /// Records which writes of a row's cells have lost through these operations, which have been
  /// applied.
  ///
  /// - Parameter list: all operations on the row, in order of stamp.
  /// - Parameter effect: what they have done; `nil` if that was long ago.
  func examine(
    _ list: [RowOperation], _ row: Int, _ applier: RowApplier, _ effect: RowApplier.Effect?
  ) throws {
    let number = applier.number
    let identity = RowIdentity(table: number, key: Array(index.key(row)))
    let before = exceptions.hasConflicts(number) ? try exceptions.conflicts(identity) : []
    // What was under the key by accident has left it, with its conflicts. A write that stays may find no row.
    let isTakenAway = list.contains { $0.transaction < 0 }
    let isMissed = effect.map { effect in
      isTakenAway && effect == .deleted || list.contains { mayMiss($0, effect) }
    }
    guard try !before.isEmpty || isMissed ?? false || mayConflict(list) else { return }
    let changes = try list.filter { $0.transaction >= 0 }.map { operation in
      CellConflicts.Change(
        transaction: transactions[Int(operation.transaction)], operation: operation.operation,
        cells: try cells(operation, applier.table), isNew: operation.isNew)
    }
    let conflicts = CellConflicts(
      table: applier.table, identity: identity, changes: changes,
      present: try presentKey(changes, applier, effect), concernsAllColumns: isTakenAway)
    try exceptions.replaceConflicts(
      of: identity, before, with: conflicts.conflicts(before: isTakenAway ? [] : before))
  }

  /// Returns the key as it is spelled now; `nil` if the row is dead.
  private func presentKey(
    _ changes: [CellConflicts.Change], _ applier: RowApplier, _ effect: RowApplier.Effect?
  ) throws -> [Value]? {
    guard let last = changes.last else { return nil }
    let key = applier.table.shape.keys.map { last.cells[$0.column].value ?? .null }
    // A row that was just written lives; an integer has one spelling.
    if applier.table.hasRowIdentifierKey, effect == .inserted || effect == .updated { return key }
    return try applier.row(key).map(applier.table.key)
  }

  /// Whether a write may have missed its row, which never lived under the key that it names now: because rows
  /// were told apart, or because a database that joined had the row from logs that are not here.
  func mayMiss(_ operation: RowOperation, _ effect: RowApplier.Effect) -> Bool {
    effect == .none
      && (hasBirths || operation.operation == .update && operation.stamp.time == .zero)
  }

  /// Whether any two of the authors did not know of each other, and wrote the same column.
  private func mayConflict(_ list: [RowOperation]) throws -> Bool {
    // In order of stamp, each can only know those before it.
    for (place, operation) in list.enumerated() where operation.transaction >= 0 {
      let transaction = transactions[Int(operation.transaction)]
      for earlier in list[..<place]
      where earlier.transaction >= 0
        && !transaction.knows(transactions[Int(earlier.transaction)].side)
      {
        if try columns(of: earlier) & columns(of: operation) != 0 { return true }
      }
    }
    return false
  }

  /// Returns the columns that an operation writes, as bits; several columns may share one.
  private func columns(of operation: RowOperation) throws(LogError) -> UInt64 {
    guard operation.operation == .update else { return .max }
    let mapping = mappings[Int(operation.mapping)]
    var columns: UInt64 = 0
    var cursor = ImageCursor(image(operation))
    for source in 0..<mapping.sourceColumnCount {
      if try cursor.next().kind != .absent, !mapping.sourceKeys.contains(source) {
        columns |= 1 << UInt64(mapping.columns[source] & 63)
      }
    }
    return columns
  }

  private func cells(
    _ operation: RowOperation, _ table: TableDescription
  ) throws(LogError) -> [ValueView] {
    let mapping = mappings[Int(operation.mapping)]
    var cells = Array(repeating: ValueView.absent, count: table.shape.columns.count)
    var cursor = ImageCursor(image(operation))
    if operation.operation == .delete {
      for source in mapping.sourceKeys { cells[mapping.columns[source]] = try cursor.next() }
    } else {
      for source in 0..<mapping.sourceColumnCount {
        cells[mapping.columns[source]] = try cursor.next()
      }
    }
    return cells
  }

  /// Examines changes that are already in the tables for conflicts: the store's own.
  public func examineOnly() throws -> [Conflict] {
    for row in rows.indices {
      let table = Int(index.table(row))
      try examine(operations(of: row), row, applier(table), nil)
    }
    removeAll()
    return exceptions.newConflicts
  }
}
