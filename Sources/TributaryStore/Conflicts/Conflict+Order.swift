extension Conflict {
  /// Orders conflicts by table, then by key as SQLite orders values, then by identifier.
  func precedes(_ other: Conflict) -> Bool {
    if !table.utf8.elementsEqual(other.table.utf8) {
      return table.utf8.lexicographicallyPrecedes(other.table.utf8)
    }
    for (value, otherValue) in zip(key, other.key) {
      let order = ColumnPolicy.order(value, otherValue)
      if order != 0 { return order < 0 }
    }
    return id < other.id
  }
}
