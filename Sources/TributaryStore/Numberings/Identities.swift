import TributaryCore

/// Determines which rows among the known numberings are the same, because devices inserted them independently
/// with equal values.
struct Identities {
  private struct Values: Hashable {
    var table: Int
    /// The bytes of the values as the columns compare them.
    var bytes: [UInt8]
  }

  /// The rows of numberings with equal values.
  private struct Group {
    /// The positions of rows, in order of their earliest numbering.
    var rows: [Int] = []
    /// For each peer, the number of first rows that its numberings cannot join: what a peer has once known,
    /// it knows forever.
    var closed: [PeerIdentity: Int] = [:]
  }

  private var groups: [Values: Group] = [:]
  /// The numberings of each row, in order of stamp.
  private var rows: [[Numbering]] = []
  /// The position of each numbering's row.
  private var places: [Numbering.Name: Int] = [:]

  /// Returns the numbering under whose number the row of a numbering lives.
  func root(of numbering: Numbering) -> Numbering {
    places[numbering.id].map { rows[$0][0] } ?? numbering
  }

  /// Whether the author of a transaction had seen the row of a numbering under the number of an earlier one.
  func hasLeft(_ numbering: Numbering, for transaction: BatchTransaction) -> Bool {
    guard let place = places[numbering.id] else { return false }
    return rows[place].prefix { $0.id != numbering.id }
      .contains { transaction.saw($0.transaction.side) }
  }

  /// Adds a numbering. It joins the first row whose authors did not know it and whom its author did not know;
  /// if there is none, it is a separate row.
  ///
  /// - Precondition: it comes after the others in order of stamp.
  /// - Complexity: amortised O(peers).
  mutating func add(_ numbering: Numbering, _ bytes: [UInt8]) {
    let values = Values(table: numbering.table, bytes: bytes)
    guard let row = numbering.isAdopted ? nil : firstOpen(to: numbering, values) else {
      groups[values, default: Group()].rows.append(rows.count)
      places[numbering.id] = rows.count
      rows.append([numbering])
      return
    }
    places[numbering.id] = row
    rows[row].append(numbering)
  }

  private mutating func firstOpen(to numbering: Numbering, _ values: Values) -> Int? {
    guard let group = groups[values] else { return nil }
    let peer = numbering.transaction.side.peer
    var place = group.closed[peer] ?? 0
    while place < group.rows.count,
      !rows[group.rows[place]].allSatisfy(numbering.isConcurrent(with:))
    {
      place += 1
    }
    groups[values]?.closed[peer] = place
    return place < group.rows.count ? group.rows[place] : nil
  }

  /// Divides numberings, in order of stamp, into groups that can be compared at once. Within one transaction,
  /// the first group refers to none of the other groups, the next group refers to the first, and so on.
  /// Numberings that refer to each other in a circle are compared at once, and those that refer to the circle
  /// after them.
  static func steps(_ numberings: [Numbering], tables: [NumberedTable]) -> [[Numbering]] {
    let numberings = numberings.sorted { ($0.stamp, $0.number) < ($1.stamp, $1.number) }
    var steps: [[Numbering]] = []
    var start = numberings.startIndex
    while start < numberings.endIndex {
      let side = numberings[start].transaction.side
      let end =
        numberings[start...].firstIndex { $0.transaction.side != side } ?? numberings.endIndex
      var left = Array(numberings[start..<end])
      start = end
      while !left.isEmpty {
        let names = Set(left.map(\.name))
        var next = left.filter { numbering in
          !numbering.references(tables[numbering.table]).contains { names.contains($0) }
        }
        if next.isEmpty {
          let circles = ReferenceCircles(
            Dictionary(
              left.map { numbering in
                (
                  numbering.name,
                  numbering.references(tables[numbering.table]).filter(names.contains)
                )
              }, uniquingKeysWith: { $1 }))
          next = left.filter { circles.members.contains($0.name) }
        }
        steps.append(next)
        let done = Set(next.map(\.name))
        left.removeAll { done.contains($0.name) }
      }
    }
    return steps
  }
}

extension Numbering {
  /// Returns the numbers to which the identifying values refer.
  fileprivate func references(_ table: NumberedTable) -> [SharedNumber] {
    rootedValues(table).compactMap { value, root in
      guard let root, let number = value.rowNumber else { return nil }
      return SharedNumber(table: root, number: number)
    }
  }

  /// The values of its identity, each with the table whose number it is, if any.
  func rootedValues(_ table: NumberedTable) -> [(value: Value, root: Int?)] {
    if table.isIdentified {
      return zip(table.identifying, identity).map { ($1, $0.root) }
    }
    // The mark of a migration, followed by names and values in turn.
    return identity.enumerated().map { place, value in
      guard place > 0, place % 2 == 0, case .text(let name) = identity[place - 1] else {
        return (value, nil)
      }
      return (value, table.roots[String(decoding: name, as: UTF8.self)])
    }
  }
}
