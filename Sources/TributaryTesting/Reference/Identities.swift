internal import TributaryCore

/// Determines which rows are the same because they were inserted independently with equal values.
struct Identities {
  private struct Values: Hashable {
    var table: String
    var values: [Value]
  }

  /// By values: the rows, in order of the earliest numbering.
  private var groups: [Values: [[Numbering]]] = [:]
  private var values: [Numbering.Named: Values] = [:]

  /// Adds a numbering. It joins the first row whose authors did not know it and whose numberings its author
  /// did not know. If there is none, it is a separate row.
  ///
  /// - Precondition: it comes after the others in the order of stamps.
  mutating func add(_ numbering: Numbering, _ values: [Value]) {
    let values = Values(table: numbering.name.table, values: values)
    self.values[numbering.named] = values
    let rows = groups[values, default: []]
    if numbering.transaction.stamp.time != .zero,
      let place = rows.firstIndex(where: { $0.allSatisfy(numbering.isConcurrent(with:)) })
    {
      groups[values]![place].append(numbering)
    } else {
      groups[values] = rows + [[numbering]]
    }
  }

  /// The number of numberings that are not separate rows.
  var joinedCount: Int {
    groups.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count - 1 } }
  }

  /// Returns the numberings of a numbering's row up to that one, in ascending order of stamp.
  private func row(of numbering: Numbering) -> [Numbering] {
    for row in values[numbering.named].flatMap({ groups[$0] }) ?? [] {
      if let place = row.firstIndex(where: { $0.named == numbering.named }) {
        return Array(row[...place])
      }
    }
    return [numbering]
  }

  /// Returns the numbering under whose number the row of a numbering lives.
  func root(of numbering: Numbering) -> Numbering { row(of: numbering)[0] }

  /// Whether the author of a transaction had seen the row of a numbering under the number of an earlier one.
  func hasLeft(_ numbering: Numbering, for transaction: ReferenceTransaction) -> Bool {
    row(of: numbering).dropLast().contains { transaction.saw($0.transaction) }
  }
}
