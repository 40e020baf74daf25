/// An element that may wait unread for any length of time. When too many wait, several become one.
package protocol Accumulating: Sendable {
  /// The approximate memory use, in bytes.
  var byteCount: Int { get }

  /// Merges a later element into this one.
  mutating func append(_ later: Self)
}

extension ImportChange: Accumulating {
  /// An import change with more conflicts than this carries none; all of them are in the store.
  private static let conflictLimit = 10_000

  package var byteCount: Int {
    tables.values.reduce(1024 + peers.count * 32 + conflicts.count * 1024) { $0 + $1.byteCount }
  }

  package mutating func append(_ later: ImportChange) {
    tables.merge(later.tables) { earlier, later in
      var both = earlier
      both.append(contentsOf: later)
      return both
    }
    for source in later.peers {
      if let index = peers.firstIndex(where: { $0.peer == source.peer }) {
        peers[index].last = source.last
      } else {
        peers.append(source)
      }
    }
    let news = Set(later.conflicts.map(\.id))
    conflicts.removeAll { news.contains($0.id) }
    conflicts += later.conflicts
    isByAnotherProcess = isByAnotherProcess || later.isByAnotherProcess
    mayHaveChangedEverything =
      mayHaveChangedEverything || later.mayHaveChangedEverything
      || conflicts.count > Self.conflictLimit || tables.values.contains(where: \.isForgotten)
    if conflicts.count > Self.conflictLimit { conflicts = [] }
  }
}

extension SyncReport: Accumulating {
  package var byteCount: Int {
    imported.changes.reduce(1024 + damaged.count * 256 + waiting.count * 256) {
      $0 + $1.changes.byteCount
    }
  }
}

/// New conflicts.
struct ConflictNews: Accumulating {
  /// `nil` stands for all open conflicts: too many were found to list them.
  var conflicts: [Conflict]?

  var byteCount: Int { (conflicts?.count ?? 0) * 1024 }

  mutating func append(_ later: ConflictNews) { conflicts = nil }
}
