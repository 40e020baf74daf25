import TributaryCore
import TributaryLog
import TributaryStore

extension MergeBatch {
  /// Moves conflicts below the horizon together with the rows that get other numbers. No change that is
  /// reread shows what these conflicts are, since everything below a horizon is one change.
  ///
  /// - Complexity: O(conflicts) if numbers have moved, otherwise O(1).
  func moveSettledConflicts() throws {
    guard registry.hasNews, exceptions.hadConflicts,
      let horizon = try HorizonRecord(connection).settled?.horizon
    else { return }
    let settled = BatchTransaction(side: .earliest, knowledge: horizon)
    let conflicts = try ConflictTable(connection).conflicts().filter {
      $0.kind.isAboutCells && settled.saw($0.loser)
    }
    let substitution = try substitution(for: conflicts, settled)
    guard !substitution.numbers.isEmpty else { return }
    var moved: [(row: RowIdentity, conflict: Conflict)] = []
    for conflict in conflicts {
      guard let number = schema.tableNumber(named: conflict.table) else { continue }
      let table = schema.tables[number]
      let key = substitution.key(conflict.key, table, number: number)
      let values = substitution.cells(conflict.values, table, number: number)
      if key == conflict.key, values == conflict.values { continue }
      var new = conflict
      let row = try table.identity(key: key, number: number)
      (new.key, new.values) = (key, values)
      new.id = Conflict.identifier(
        table: table.lastingName, key: row.key, kind: conflict.kind, loser: conflict.loser)
      // All conflicts leave before any arrives, since one may move to the place of another.
      let former = try table.identity(key: conflict.key, number: number)
      try exceptions.replaceConflicts(of: former, [conflict], with: [])
      moved.append((row, new))
    }
    for (row, conflict) in moved {
      try exceptions.replaceConflicts(of: row, [], with: [conflict])
      arrivedConflicts.insert(conflict.id)
    }
  }

  /// Returns the numbers that rows below the horizon have left, with the numbers that they have now.
  private func substitution(
    for conflicts: [Conflict], _ settled: BatchTransaction
  ) throws -> NumberSubstitution {
    var names = registry.names
    for conflict in conflicts {
      guard let table = schema.tableNumber(named: conflict.table) else { continue }
      let places = schema.tables[table].shape.keys.map(\.column)
      for (column, value) in zip(places, conflict.key) {
        let root = roots.columns[table].first { $0.column == column }?.root
        if let root, let number = value.rowNumber {
          names.insert(SharedNumber(table: root, number: number))
        }
      }
    }
    var numbers: [SharedNumber: Int64] = [:]
    for name in names {
      let before = registry.number(name, meantBy: settled, joins: false, formerly: true)
      let now = registry.number(name, meantBy: settled, joins: false, formerly: false)
      if before != now { numbers[SharedNumber(table: name.table, number: before)] = now }
    }
    return NumberSubstitution(roots: roots, numbers: numbers)
  }
}
