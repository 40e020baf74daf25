import TributaryCore
import TributaryStore

/// New births by the values that make their rows the same, and those of the store with equal values.
struct EqualBirths {
  private struct Values: Hashable {
    var table: Int
    var bytes: [UInt8]
  }

  private struct Group {
    var new: [Birth] = []
    var existing: [Birth] = []
  }

  private var groups: [Values: Group] = [:]

  var isEmpty: Bool { groups.isEmpty }

  /// Whether any new birth has these values.
  func contains(_ bytes: [UInt8], table: Int) -> Bool {
    groups[Values(table: table, bytes: bytes)] != nil
  }

  mutating func add(_ birth: Birth, _ bytes: [UInt8]) {
    groups[Values(table: birth.table, bytes: bytes), default: Group()].new.append(birth)
  }

  /// Adds a birth that the store already has, if a new one has its values.
  mutating func addExisting(_ birth: Birth, _ bytes: [UInt8]) {
    groups[Values(table: birth.table, bytes: bytes)]?.existing.append(birth)
  }

  /// The new births that have met another one, neither author knowing the other's, and these others.
  var met: [Birth] {
    groups.values.flatMap(Self.met)
  }

  /// Returns the births that have met.
  ///
  /// - Complexity: O(births · (peers + log births)), since the knowledge of a peer only grows.
  private static func met(_ group: Group) -> [Birth] {
    let byPeer = Dictionary(grouping: group.new + group.existing) { $0.transaction.side.peer }
    guard byPeer.count > 1 else { return [] }
    let lists = byPeer.mapValues { births in
      births.sorted { $0.transaction.side.sequence < $1.transaction.side.sequence }
    }
    var met: [Birth.Name: Birth] = [:]
    // By peer, the start and end of the ranges of births that were met.
    var bounds = lists.mapValues { Array(repeating: 0, count: $0.count + 1) }
    for birth in group.new {
      for (peer, others) in lists where peer != birth.transaction.side.peer {
        let first = others.firstPlace { !birth.transaction.saw($0.transaction.side) }
        let end = others.firstPlace { $0.transaction.saw(birth.transaction.side) }
        guard first < end else { continue }
        met[birth.id] = birth
        bounds[peer]?[first] += 1
        bounds[peer]?[end] -= 1
      }
    }
    for (peer, changes) in bounds {
      var depth = 0
      for (birth, change) in zip(lists[peer] ?? [], changes) {
        depth += change
        if depth > 0 { met[birth.id] = birth }
      }
    }
    return Array(met.values)
  }
}

extension [Birth] {
  /// Returns the position of the first element for which a condition holds, given that it holds for
  /// all later ones too.
  fileprivate func firstPlace(where holds: (Birth) -> Bool) -> Int {
    var (lower, upper) = (0, count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if holds(self[middle]) { upper = middle } else { lower = middle + 1 }
    }
    return lower
  }
}
