import TributaryCore
import TributaryLog
import TributaryStore

extension MergeBatch {
  /// Records which writes of a row's cells have lost through these operations, which have already been
  /// applied.
  ///
  /// - Parameter list: all operations on the row, in order of stamp.
  /// - Parameter effect: what the operations have done; `nil` if that was long ago.
  func examine(
    _ list: [RowOperation], _ row: Int, _ applier: RowApplier, _ effect: RowApplier.Effect?
  ) throws {
    let identity = rows.identity(row)
    let before = exceptions.hasConflicts(applier.number) ? try exceptions.conflicts(identity) : []
    guard
      try !before.isEmpty || effect.map({ mayMiss(list, $0) }) ?? false || mayConflict(list)
    else { return }
    let changes = try list.filter { !$0.takesAway }.map { operation in
      CellConflicts.Change(
        transaction: transactions[Int(operation.transaction)], operation: operation.operation,
        cells: try mappings[Int(operation.mapping)].cells(
          operation.operation, rows.bytes(operation.image)), isNew: operation.isNew)
    }
    // Whatever was under the key by accident has left it, together with its conflicts.
    let isTakenAway = list.contains(where: \.takesAway)
    let stays = isTakenAway ? before.filter { arrivedConflicts.contains($0.id) } : before
    let conflicts = CellConflicts(
      table: applier.table, identity: identity, changes: changes,
      present: try presentKey(changes, applier, effect), concernsAllColumns: isTakenAway,
      migrations: migrations.all)
    try exceptions.replaceConflicts(
      of: identity, before, with: conflicts.conflicts(before: stays))
  }

  /// Returns the key in its current spelling; `nil` if the row is dead.
  private func presentKey(
    _ changes: [CellConflicts.Change], _ applier: RowApplier, _ effect: RowApplier.Effect?
  ) throws -> [Value]? {
    guard let last = changes.last else { return nil }
    let key = applier.table.shape.keys.map { last.cells[$0.column].value ?? .null }
    // A row that was just written is alive, and an integer has only one spelling.
    if applier.table.hasRowIdentifierKey, effect == .inserted || effect == .updated { return key }
    return try applier.row(key).map(applier.table.key)
  }

  /// Whether a write may have missed its row because the row never lived under the key that the write now
  /// names. That happens if rows were told apart, or if a database that joined had the row from logs that are
  /// not here.
  func mayMiss(_ list: some Sequence<RowOperation>, _ effect: RowApplier.Effect) -> Bool {
    switch effect {
    case .none:
      hasNumberings || list.contains { $0.operation == .update && $0.stamp.time == .zero }
    case .deleted: list.contains(where: \.takesAway)
    case .inserted, .updated: false
    }
  }

  /// Whether any two of the authors did not know of each other and wrote the same column.
  private func mayConflict(_ list: [RowOperation]) throws -> Bool {
    // In order of stamp, each can only know earlier ones.
    for (place, operation) in list.enumerated() where !operation.takesAway {
      let transaction = transactions[Int(operation.transaction)]
      for earlier in list[..<place]
      where !earlier.takesAway
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
    try mapping.forEachCell(.update, rows.bytes(operation.image)) { column, view in
      if view.kind != .absent, !mapping.isKey[column] { columns |= 1 << UInt64(column & 63) }
    }
    return columns
  }

  /// Examines changes that are already in the tables for conflicts: the store's own.
  package func examineOnly() throws -> [Conflict] {
    for row in rows.numbers {
      try examine(
        operationsOnce(of: row), row, appliers.applier(rows.table(row)), nil)
    }
    removeAll()
    return exceptions.newConflicts
  }
}
