internal import TributaryCore

/// Which rows are one because they were inserted apart with equal values.
struct Identities {
  private struct Values: Hashable {
    var table: String
    var values: [Value]
  }

  /// By values: rows that are one each, in order of the earliest birth.
  private var groups: [Values: [[Birth]]] = [:]
  private var values: [Birth.Named: Values] = [:]

  /// A birth joins the first row of which no author knew it, nor its author them; otherwise it is a row of its own.
  ///
  /// - Precondition: it comes after the others in order of stamp.
  mutating func add(_ birth: Birth, _ values: [Value]) {
    let values = Values(table: birth.name.table, values: values)
    self.values[birth.named] = values
    let rows = groups[values, default: []]
    if birth.transaction.stamp.time != .zero,
      let place = rows.firstIndex(where: { $0.allSatisfy(birth.isConcurrent(with:)) })
    {
      groups[values]![place].append(birth)
    } else {
      groups[values] = rows + [[birth]]
    }
  }

  /// How many births are no row of their own.
  var joinedCount: Int {
    groups.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count - 1 } }
  }

  /// The births of the row of a birth up to that one, in ascending order of stamp.
  private func row(of birth: Birth) -> [Birth] {
    for row in values[birth.named].flatMap({ groups[$0] }) ?? [] {
      if let place = row.firstIndex(where: { $0.named == birth.named }) {
        return Array(row[...place])
      }
    }
    return [birth]
  }

  /// The birth under whose number the row of a birth lives.
  func root(of birth: Birth) -> Birth { row(of: birth)[0] }

  /// Whether the author of a transaction had seen the row of a birth under the number of an earlier one.
  func hasLeft(_ birth: Birth, for transaction: ReferenceTransaction) -> Bool {
    row(of: birth).dropLast().contains { transaction.saw($0.transaction) }
  }
}
