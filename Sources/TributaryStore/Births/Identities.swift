import TributaryCore

/// Determines which rows are the same because they were inserted independently with equal values, among the
/// known births.
struct Identities {
  private struct Values: Hashable {
    var table: Int
    /// The bytes of the values as the columns compare them.
    var bytes: [UInt8]
  }

  /// The rows of births with equal values.
  private struct Group {
    /// The places of rows, in order of the earliest birth.
    var rows: [Int] = []
    /// By peer, the number of first rows that its births cannot join: what a peer knew once, it knows
    /// forever.
    var closed: [PeerIdentity: Int] = [:]
  }

  private var groups: [Values: Group] = [:]
  /// The births of each row, in order of stamp.
  private var rows: [[Birth]] = []
  /// The place of each birth's row.
  private var places: [Birth.Name: Int] = [:]

  /// Returns the birth under whose number the row of a birth lives.
  func root(of birth: Birth) -> Birth { places[birth.id].map { rows[$0][0] } ?? birth }

  /// Whether the author of a transaction had seen the row of a birth under the number of an earlier one.
  func hasLeft(_ birth: Birth, for transaction: BatchTransaction) -> Bool {
    guard let place = places[birth.id] else { return false }
    return rows[place].prefix { $0.id != birth.id }
      .contains { transaction.saw($0.transaction.side) }
  }

  /// Adds a birth. It joins the first row whose authors did not know it and whom its author did not know; if
  /// there is none, it is a row of its own.
  ///
  /// - Precondition: it comes after the others in order of stamp.
  /// - Complexity: amortised O(peers).
  mutating func add(_ birth: Birth, _ bytes: [UInt8]) {
    let values = Values(table: birth.table, bytes: bytes)
    guard let row = birth.isAdopted ? nil : firstOpen(to: birth, values) else {
      groups[values, default: Group()].rows.append(rows.count)
      places[birth.id] = rows.count
      rows.append([birth])
      return
    }
    places[birth.id] = row
    rows[row].append(birth)
  }

  private mutating func firstOpen(to birth: Birth, _ values: Values) -> Int? {
    guard let group = groups[values] else { return nil }
    let peer = birth.transaction.side.peer
    var place = group.closed[peer] ?? 0
    while place < group.rows.count,
      !rows[group.rows[place]].allSatisfy(birth.isConcurrent(with:))
    {
      place += 1
    }
    groups[values]?.closed[peer] = place
    return place < group.rows.count ? group.rows[place] : nil
  }

  /// Divides births, in order of stamp, into groups that can be compared at once. Of one transaction, the
  /// first group refers to none of the others, the next group refers to the first, and so on. Births that refer
  /// to each other in a circle are compared at once, and those that refer to the circle after them.
  static func steps(_ births: [Birth], tables: [NumberedTable]) -> [[Birth]] {
    let births = births.sorted { ($0.stamp, $0.number) < ($1.stamp, $1.number) }
    var steps: [[Birth]] = []
    var start = births.startIndex
    while start < births.endIndex {
      let side = births[start].transaction.side
      let end = births[start...].firstIndex { $0.transaction.side != side } ?? births.endIndex
      var left = Array(births[start..<end])
      start = end
      while !left.isEmpty {
        let names = Set(left.map(\.name))
        var next = left.filter { birth in
          !birth.references(tables[birth.table]).contains { names.contains($0) }
        }
        if next.isEmpty {
          let circles = ReferenceCircles(
            Dictionary(
              left.map { birth in
                (birth.name, birth.references(tables[birth.table]).filter(names.contains))
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

extension Birth {
  /// Returns the numbers that the identifying values refer to.
  fileprivate func references(_ table: NumberedTable) -> [SharedNumber] {
    zip(table.identifying, identity).compactMap { column, value in
      guard let root = column.root, let number = value.rowNumber else { return nil }
      return SharedNumber(table: root, number: number)
    }
  }
}
