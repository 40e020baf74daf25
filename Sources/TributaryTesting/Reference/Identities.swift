internal import TributaryCore

/// Which rows are one because they were inserted apart with equal values.
struct Identities {
  private struct Values: Hashable {
    var table: String
    var values: [Value]
  }

  /// By values: rows that are one each, in order of the earliest birth.
  private var groups: [Values: [[Birth]]] = [:]
  private var roots: [Birth.Named: Birth] = [:]

  /// A birth joins the first row of which no author knew it, nor its author them; otherwise it is a row of its own.
  ///
  /// - Precondition: it comes after the others in order of stamp.
  mutating func add(_ birth: Birth, _ values: [Value]) {
    let values = Values(table: birth.name.table, values: values)
    let rows = groups[values, default: []]
    if birth.transaction.stamp.time != .zero,
      let place = rows.firstIndex(where: { $0.allSatisfy(birth.isConcurrent(with:)) })
    {
      groups[values]![place].append(birth)
      roots[birth.named] = rows[place][0]
    } else {
      groups[values] = rows + [[birth]]
    }
  }

  /// The birth under whose number the row of a birth lives.
  func root(of birth: Birth) -> Birth { roots[birth.named] ?? birth }
}
