import TributaryCore
import TributaryLog
import TributaryStore

/// Finds the writes of a row's cells that have lost, among changes that one import brings or whose authors
/// did not know each other, by the rules of `docs/conflicts.md`.
struct CellConflicts {
  struct Change {
    var transaction: BatchTransaction
    var operation: ChangeOperation
    /// The cells, by stored column.
    var cells: [ValueView]
    var isNew: Bool
  }

  let table: TableDescription
  let identity: RowIdentity
  /// The changes, in order of stamp.
  let changes: [Change]
  /// The key in its current spelling; `nil` if the row is dead.
  let present: [Value]?
  /// Whether all columns count, rather than only those that new changes write.
  let concernsAllColumns: Bool
  /// The rows that migrations have written. A device of the author knew them, whichever device they came
  /// from.
  let migrations: WrittenMigrations

  /// The columns that new changes write; all others are as they were. Everything below a horizon is one
  /// change here, so it cannot show which parts of it have lost; that stays as it was.
  private var touched: [Bool] {
    var touched = table.shape.columns.map { _ in concernsAllColumns }
    for change in changes where change.isNew && change.transaction.side != .earliest {
      for column in touched.indices
      where change.operation != .update
        || change.cells[column].kind != .absent && !isKey(column, of: change)
      {
        touched[column] = true
      }
    }
    return touched
  }

  /// Returns the row's conflicts.
  ///
  /// - Parameter before: the conflicts that the row had.
  func conflicts(before: [Conflict]) -> [Conflict] {
    let touched = touched
    var found = losses(touched)
    for old in before {
      let left = old.values.filter { cell in
        guard let column = column(cell.column) else { return true }
        return !touched[column] && !isSpellingAnswered(column, of: old)
      }
      if left.isEmpty { continue }
      var conflict = old
      conflict.values = left
      // If the row has died since, its conflicts are of another kind.
      if let place = found.firstIndex(where: { $0.id == old.id })
        ?? found.firstIndex(where: { $0.loser == old.loser })
      {
        conflict.values = table.shape.columns.compactMap { name in
          (left + found[place].values).first { SQLName($0.column) == SQLName(name) }
        }
        conflict.kind = found[place].kind
        found.remove(at: place)
      }
      conflict.winner = conflict.values.compactMap(\.winner).max() ?? old.winner
      conflict.key = present ?? old.key
      found.append(identified(conflict))
    }
    return found.sorted { $0.id < $1.id }
  }

  /// Whether an update, which names its row, has thereby settled the spelling of the key.
  private func isSpellingAnswered(_ column: Int, of conflict: Conflict) -> Bool {
    table.shape.keys.contains { $0.column == column }
      && changes.contains { $0.isNew && $0.transaction.knows(conflict.loser) }
  }

  private func column(_ name: String) -> Int? {
    table.shape.columns.firstIndex { SQLName($0) == SQLName(name) }
  }

  private func losses(_ touched: [Bool]) -> [Conflict] {
    if table.leavesNoConflicts { return [] }
    let (winners, killer) = fold()
    // In that case, no transaction has won.
    let hasNeverLived = present == nil && killer == nil
    var found: [Conflict] = []
    for (position, change) in changes.enumerated() where change.operation != .delete {
      var lost: [Conflict.Cell] = []
      for (column, cell) in change.cells.enumerated()
      where touched[column] && cell.kind != .absent && table.policies[column] != .last
        && !isKey(column, of: change)
      {
        guard hasNeverLived || winners[column] != position, !isAnswered(position, column),
          let value = cell.value
        else { continue }
        var place = hasNeverLived ? position : killer
        if place == nil {
          if table.policies[column] != .latest { continue }
          guard let last = winners[column], let present = changes[last].cells[column].value,
            !present.hasSameBits(as: value)
          else { continue }
          place = last
        }
        guard let place else { continue }
        lost.append(
          Conflict.Cell(
            column: table.shape.columns[column], value: value,
            winner: changes[place].transaction.side))
      }
      guard let winner = lost.compactMap(\.winner).max() else { continue }
      let kind: Conflict.Kind =
        killer != nil || hasNeverLived ? .delete : change.operation == .update ? .update : .insert
      add(
        identified(
          Conflict(
            id: "", table: table.name, key: present ?? key(of: change), kind: kind, isHeld: false,
            values: lost,
            winner: winner, loser: change.transaction.side)), to: &found)
    }
    return found
  }

  /// Adds a conflict. Everything that one transaction has lost in one row is one conflict, even if the
  /// transaction knew the row by several numbers.
  private func add(_ conflict: Conflict, to found: inout [Conflict]) {
    guard let place = found.firstIndex(where: { $0.id == conflict.id }) else {
      return found.append(conflict)
    }
    let cells = conflict.values + found[place].values
    found[place].values = table.shape.columns.compactMap { name in
      cells.first { SQLName($0.column) == SQLName(name) }
    }
    found[place].winner = max(found[place].winner, conflict.winner)
  }

  /// Whether the column belongs to the key, which an update contains only to name the row.
  private func isKey(_ column: Int, of change: Change) -> Bool {
    change.operation == .update && table.shape.keys.contains { $0.column == column }
  }

  /// Returns, for each column, the change whose value the row has; also the last deletion, if the row is
  /// dead.
  private func fold() -> (winners: [Int?], killer: Int?) {
    var winners: [Int?] = table.shape.columns.map { _ in nil }
    var killer: Int?
    for (position, change) in changes.enumerated() {
      switch change.operation {
      case .delete:
        killer = position
        for column in winners.indices { winners[column] = nil }
      case .update where killer != nil: break
      case .insert, .replace, .update:
        killer = nil
        for (column, cell) in change.cells.enumerated()
        where cell.kind != .absent && !isKey(column, of: change) {
          winners[column] = position
        }
      }
    }
    return (winners, killer)
  }

  private func isAnswered(_ position: Int, _ column: Int) -> Bool {
    let transaction = changes[position].transaction
    return changes.enumerated().contains { place, other in
      place != position
        && (other.operation == .delete
          || other.cells[column].kind != .absent)
        && (other.transaction.knows(transaction.side)
          || transaction.mark.map { migrations.areKnown($0, to: other.transaction) } ?? false)
    }
  }

  private func key(of change: Change) -> [Value] {
    table.shape.keys.map { change.cells[$0.column].value ?? .null }
  }

  private func identified(_ conflict: Conflict) -> Conflict {
    var conflict = conflict
    conflict.id = Conflict.identifier(
      table: table.lastingName, key: identity.key, kind: conflict.kind, loser: conflict.loser)
    return conflict
  }
}
