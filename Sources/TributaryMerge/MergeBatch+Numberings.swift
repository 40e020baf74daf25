import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

extension MergeBatch {
  /// Returns further numberings that collided by accident under one number, or whose number others have. The
  /// batch must then be built again with these.
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
    // Numberings that collided under a number may also have equal values.
    let known = Set(found.map(\.id))
    return found + (try findEqualNumberings()).filter { !known.contains($0.id) }
  }

  /// Returns those numberings under one number, of one row, that matter and are not known yet.
  private func accidents(among numberings: [Numbering]) -> [Numbering] {
    let known = registry.numberings(
      SharedNumber(table: numberings[0].table, number: numberings[0].number))
    let fresh = numberings.filter { numbering in
      !known.contains { $0.transaction.side == numbering.transaction.side }
    }
    // If one numbering was displaced, each later one determines which row the number means to those who have
    // seen it.
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
