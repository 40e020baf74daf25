import TributaryCore
import TributaryStore

/// New numberings, grouped by the values that make their rows the same, and the store's numberings with equal
/// values.
struct EqualNumberings {
  private struct Values: Hashable {
    var table: Int
    var bytes: [UInt8]
  }

  private struct Group {
    var new: [Numbering] = []
    var existing: [Numbering] = []
  }

  private var groups: [Values: Group] = [:]

  var isEmpty: Bool { groups.isEmpty }

  /// Whether any new numbering has these values.
  func contains(_ bytes: [UInt8], table: Int) -> Bool {
    groups[Values(table: table, bytes: bytes)] != nil
  }

  mutating func add(_ numbering: Numbering, _ bytes: [UInt8]) {
    groups[Values(table: numbering.table, bytes: bytes), default: Group()].new.append(numbering)
  }

  /// Adds a numbering that the store already has, if a new one has its values.
  mutating func addExisting(_ numbering: Numbering, _ bytes: [UInt8]) {
    groups[Values(table: numbering.table, bytes: bytes)]?.existing.append(numbering)
  }

  /// The new numberings that meet another one of which neither author knew, and these other numberings.
  var met: [Numbering] {
    groups.values.flatMap(Self.met)
  }

  /// Returns the numberings that have met.
  ///
  /// - Complexity: O(numberings · (peers + log numberings)), since the knowledge of a peer only grows.
  private static func met(_ group: Group) -> [Numbering] {
    let byPeer = Dictionary(grouping: group.new + group.existing) { $0.transaction.side.peer }
    guard byPeer.count > 1 else { return [] }
    let lists = byPeer.mapValues { numberings in
      numberings.sorted { $0.transaction.side.sequence < $1.transaction.side.sequence }
    }
    var met: [Numbering.Name: Numbering] = [:]
    // For each peer, the start and end of the ranges of numberings that were met.
    var bounds = lists.mapValues { Array(repeating: 0, count: $0.count + 1) }
    for numbering in group.new {
      for (peer, others) in lists where peer != numbering.transaction.side.peer {
        let first = others.firstPlace { !numbering.transaction.saw($0.transaction.side) }
        let end = others.firstPlace { $0.transaction.saw(numbering.transaction.side) }
        guard first < end else { continue }
        met[numbering.id] = numbering
        bounds[peer]?[first] += 1
        bounds[peer]?[end] -= 1
      }
    }
    for (peer, changes) in bounds {
      var depth = 0
      for (numbering, change) in zip(lists[peer] ?? [], changes) {
        depth += change
        if depth > 0 { met[numbering.id] = numbering }
      }
    }
    return Array(met.values)
  }
}

extension [Numbering] {
  /// Returns the position of the first element for which a condition holds, given that it holds for
  /// all later ones too.
  fileprivate func firstPlace(where holds: (Numbering) -> Bool) -> Int {
    var (lower, upper) = (0, count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if holds(self[middle]) { upper = middle } else { lower = middle + 1 }
    }
    return lower
  }
}
