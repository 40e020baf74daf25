import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

extension MergeBatch {
  /// Returns further births under one number that met by accident, or under a number where others
  /// have. The batch must then be put together anew, with these.
  public func findAccidents() throws -> [Birth] {
    var found: [Birth] = []
    for row in rows.numbers where roots.generates[rows.table(row)] {
      let first = rows.first(of: row)
      guard hasBirths || first.next >= 0 || first.takesOver else { continue }
      var births: [Int64: [Birth]] = [:]
      for operation in rows.operations(of: row)
      where operation.operation == .insert && !operation.takesAway {
        let birth = try birth(operation)
        if !registry.bringsBack(SharedNumber(table: birth.table, number: birth.number)) {
          births[birth.number, default: []].append(birth)
        }
      }
      for births in births.values { found += accidents(among: births) }
    }
    // Those that met under a number may have equal values, too.
    let known = Set(found.map(\.id))
    return found + (try findEqualBirths()).filter { !known.contains($0.id) }
  }

  /// Returns those of the births under one number, of one row, that are not known yet and matter.
  private func accidents(among births: [Birth]) -> [Birth] {
    let known = registry.births(SharedNumber(table: births[0].table, number: births[0].number))
    let fresh = births.filter { birth in
      !known.contains { $0.transaction.side == birth.transaction.side }
    }
    // If one was displaced, each later birth determines which row those mean who have seen it.
    return !known.isEmpty || fresh.contains(where: \.takesOver)
      || fresh.contains(where: { birth in births.contains { $0.isAccident(with: birth) } })
      ? fresh : []
  }

  func birth(_ operation: RowOperation) throws -> Birth {
    try births.birth(
      rows.bytes(operation.logged), mappings[Int(operation.mapping)],
      by: transactions[Int(operation.transaction)], takesOver: operation.takesOver)
  }
}
