internal import TributaryCore

/// Determines which rows are the same because they were inserted independently with equal values.
struct Identities {
  private struct Values: Hashable {
    var table: String
    var values: [Value]
  }

  /// By values: the rows, in order of the earliest birth.
  private var groups: [Values: [[Birth]]] = [:]
  private var values: [Birth.Named: Values] = [:]

  /// Adds a birth. It joins the first row whose authors did not know it and whom its author did not know; if
  /// there is none, it is a row of its own.
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

  /// The number of births that are not rows of their own.
  var joinedCount: Int {
    groups.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count - 1 } }
  }

  /// Returns the births of a birth's row up to that one, in ascending order of stamp.
  private func row(of birth: Birth) -> [Birth] {
    for row in values[birth.named].flatMap({ groups[$0] }) ?? [] {
      if let place = row.firstIndex(where: { $0.named == birth.named }) {
        return Array(row[...place])
      }
    }
    return [birth]
  }

  /// Returns the birth under whose number the row of a birth lives.
  func root(of birth: Birth) -> Birth { row(of: birth)[0] }

  /// Whether the author of a transaction had seen the row of a birth under the number of an earlier one.
  func hasLeft(_ birth: Birth, for transaction: ReferenceTransaction) -> Bool {
    row(of: birth).dropLast().contains { transaction.saw($0.transaction) }
  }
}
