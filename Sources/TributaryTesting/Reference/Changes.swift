internal import TributaryCore

/// Returns the changes of one commit, by comparing the contents before and after it.
///
/// A missing row is a delete. A new one is an insert with all its columns. A row that was deleted and
/// reinserted is a replace if it differs at all. So is a row whose key is spelled differently from before,
/// since a change of the key is both. Any other row that differs is an update with the columns that differ,
/// compared to the bit. Changes are in the order of tables and keys.
///
/// - Parameter reinserted: rows that the transaction deleted and reinserted, which the contents alone cannot
///   show. Rows that did not exist before or do not exist afterwards do not matter.
package func changes(
  before: ReferenceContents, after: ReferenceContents, reinserted: Set<ReferenceRowIdentity>,
  schema: ReferenceSchema
) -> [ReferenceChange] {
  schema.tables.flatMap { table in
    let old = before.tables[table.name, default: [:]]
    let new = after.tables[table.name, default: [:]]
    return Set(old.keys).union(new.keys).sorted().compactMap { key -> ReferenceChange? in
      guard let row = new[key] else {
        return ReferenceChange(.delete, table: table.name, key: table.key(of: old[key]!))
      }
      guard let previous = old[key] else {
        return ReferenceChange(.insert, table: table.name, key: table.key(of: row), values: row)
      }
      let changed = row.filter { column, value in
        !(previous[column]?.isIdentical(to: value) ?? false)
      }
      if changed.isEmpty { return nil }
      if reinserted.contains(ReferenceRowIdentity(table: table.name, key: key))
        || !areIdentical(table.key(of: previous), table.key(of: row))
      {
        return ReferenceChange(.replace, table: table.name, key: table.key(of: row), values: row)
      }
      return ReferenceChange(
        .update, table: table.name, key: table.key(of: previous),
        values: table.update(from: previous, to: row, changed: changed))
    }
  }
}

extension ReferenceTable {
  /// Returns an update's values of the columns that are not in the key.
  fileprivate func update(
    from old: ReferenceContents.Row, to new: ReferenceContents.Row, changed: ReferenceContents.Row
  ) -> ReferenceContents.Row {
    let told = isMergedByRow ? new.filter { !isKey($0.key) } : changed
    return told.reduce(into: [:]) { values, cell in
      values[cell.key] =
        self[column: cell.key].policy == .counter
        ? .integer(cell.value.count &- old[cell.key]!.count) : cell.value
    }
  }
}
