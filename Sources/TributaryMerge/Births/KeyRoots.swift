import TributaryStore

/// Which columns hold numbers that tables give to their rows.
struct KeyRoots {
  /// By table: stored columns, and the table whose numbers they hold.
  let columns: [[(column: Int, root: Int)]]
  /// By table: whether it numbers its rows itself.
  let generates: [Bool]

  init(_ constraints: ConstraintSet) {
    let tables = constraints.schema.tables
    /// What a column refers to: the key column of a table, if it does.
    func target(_ table: Int, _ column: Int) -> Int? {
      for reference in constraints.references[table] {
        guard let place = reference.childColumns.firstIndex(of: column),
          let parent = reference.parent, tables[parent].hasRowIdentifierKey,
          let key = tables[parent].shape.keys.first,
          reference.parentColumns[place].lowercased()
            == tables[parent].shape.columns[key.column].lowercased()
        else { continue }
        return parent
      }
      return nil
    }
    let generates = tables.indices.map { table in
      guard tables[table].hasRowIdentifierKey, tables[table].refusal == nil,
        tables[table].numbersItsRows, let key = tables[table].shape.keys.first
      else { return false }
      return !constraints.references[table].contains { $0.childColumns == [key.column] }
    }
    self.generates = generates
    columns = tables.indices.map { table in
      tables[table].shape.columns.indices.compactMap { column in
        if generates[table], tables[table].shape.keys[0].column == column {
          return (column, table)
        }
        var seen: Set<Int> = [table]
        var next = target(table, column)
        while let parent = next, !generates[parent] {
          guard seen.insert(parent).inserted else { return nil }
          next = target(parent, tables[parent].shape.keys[0].column)
        }
        return next.map { (column, $0) }
      }
    }
  }
}
