/// The columns that contain numbers that tables assign to their rows.
package struct KeyRoots {
  /// For each table, the stored columns that contain such numbers, each with the table whose numbers it
  /// contains.
  package let columns: [[(column: Int, root: Int)]]
  /// For each table, whether it numbers its rows itself.
  package let generates: [Bool]

  package init(_ constraints: ConstraintSet) {
    let tables = constraints.schema.tables
    let generates = tables.map { $0.numbersItsRows && $0.refusal == nil }
    self.generates = generates
    /// Returns the table whose numbers a column contains, following columns that refer to each other.
    func root(_ table: Int, _ column: Int, _ seen: inout Set<[Int]>) -> Int? {
      if generates[table], tables[table].shape.keys[0].column == column { return table }
      guard seen.insert([table, column]).inserted else { return nil }
      for link in constraints.links[table] where link.column == column {
        if let found = root(link.parent, link.parentColumn, &seen) { return found }
      }
      return nil
    }
    columns = tables.indices.map { table in
      tables[table].shape.columns.indices.compactMap { column in
        var seen: Set<[Int]> = []
        return root(table, column, &seen).map { (column, $0) }
      }
    }
  }
}
