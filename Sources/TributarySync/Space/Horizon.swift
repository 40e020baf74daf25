package import TributaryCore

/// What several peers have in common, and who keeps it from being more.
package struct Horizon {
  /// What all of them have.
  package private(set) var common = Knowledge()
  /// Those without which it would be more: each alone lacks something that all others have.
  package private(set) var holders: Set<PeerIdentity> = []

  /// How far the members have come with the transactions of one author.
  private struct Progress {
    /// The members that have any.
    var count = 0
    /// The sum of their positions, which shows the one that is missing if only one is.
    var positions = 0
    var least = SequenceNumber.max
    /// The one that has least, by its position.
    var last = 0
    /// What the others have in common.
    var next = SequenceNumber.max

    mutating func add(_ sequence: SequenceNumber, of position: Int) {
      count += 1
      positions += position
      if sequence < least {
        (next, least, last) = (least, sequence, position)
      } else {
        next = min(next, sequence)
      }
    }
  }

  /// - Parameter members: what each of them has.
  /// - Complexity: O(*n* log *n*) in the number of entries.
  package init(_ members: [PeerIdentity: Knowledge]) {
    let peers = Array(members.keys)
    var authors: [PeerIdentity: Progress] = [:]
    for (position, peer) in peers.enumerated() {
      for entry in members[peer]?.entries ?? [] {
        authors[entry.peer, default: Progress()].add(entry.sequence, of: position)
      }
    }
    let all = peers.indices.reduce(0, +)
    var entries: [Knowledge.Entry] = []
    for (author, progress) in authors {
      if progress.count == peers.count {
        entries.append(Knowledge.Entry(peer: author, sequence: progress.least))
        if peers.count > 1, progress.least < progress.next { holders.insert(peers[progress.last]) }
      } else if progress.count == peers.count - 1 {
        holders.insert(peers[all - progress.positions])
      }
    }
    common = Knowledge(entries.sorted { $0.peer < $1.peer })
  }
}
