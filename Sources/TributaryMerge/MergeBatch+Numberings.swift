import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

extension MergeBatch {
  /// Returns further numberings under one number that met by accident, or under a number where others
  /// have. The batch must then be put together anew, with these.
  package func findAccidents() throws -> [Numbering] {
    var found: [Numbering] = []
    for row in rows.numbers where roots.generates[rows.table(row)] {
      let first = rows.first(of: row)
      guard hasNumberings || first.next >= 0 || first.takesOver else { continue }
      var numberings: [Int64: [Numbering]] = [:]
      for operation in rows.operations(of: row)
      where operation.operation == .insert && !operation.takesAway {
        let numbering = try numbering(operation)
        if !registry.bringsBack(SharedNumber(table: numbering.table, number: numbering.number)) {
          numberings[numbering.number, default: []].append(numbering)
        }
      }
      for numberings in numberings.values { found += accidents(among: numberings) }
    }
    // Those that met under a number may have equal values, too.
    let known = Set(found.map(\.id))
    return found + (try findEqualNumberings()).filter { !known.contains($0.id) }
  }

  /// Returns those of the numberings under one number, of one row, that are not known yet and matter.
  private func accidents(among numberings: [Numbering]) -> [Numbering] {
    let known = registry.numberings(
      SharedNumber(table: numberings[0].table, number: numberings[0].number))
    let fresh = numberings.filter { numbering in
      !known.contains { $0.transaction.side == numbering.transaction.side }
    }
    // If one was displaced, each later numbering determines which row those mean who have seen it.
    return !known.isEmpty || fresh.contains(where: \.takesOver)
      || fresh.contains { one in numberings.contains { $0.isAccident(with: one) } }
      ? fresh : []
  }

  func numbering(_ operation: RowOperation) throws -> Numbering {
    try numberings.numbering(
      rows.bytes(operation.logged), mappings[Int(operation.mapping)],
      by: transactions[Int(operation.transaction)], takesOver: operation.takesOver)
  }
}
