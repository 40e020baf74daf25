package import TributaryCore

/// What several peers have in common, and which of them keep it from being more.
package struct Horizon {
  /// What all of them have.
  package private(set) var common = Knowledge()
  /// The peers that have the least of some author, if others have more. If none of these counted, `common`
  /// would be larger.
  package private(set) var holders: Set<PeerIdentity> = []

  /// How far the members have got with the transactions of one author.
  private struct Progress {
    /// The positions of the members that have any, and what each of them has.
    var members: [(position: Int, sequence: SequenceNumber)] = []
    var least = SequenceNumber.max
    var most = SequenceNumber.zero

    mutating func add(_ sequence: SequenceNumber, of position: Int) {
      members.append((position, sequence))
      least = min(least, sequence)
      most = max(most, sequence)
    }
  }

  /// - Parameter members: what each member has.
  /// - Complexity: O(*n* log *n*) in the number of entries, and O(*a* *m*) for *m* members and *a* authors
  ///   from whom not every member has something.
  package init(_ members: [PeerIdentity: Knowledge]) {
    let peers = Array(members.keys)
    var authors: [PeerIdentity: Progress] = [:]
    for (position, peer) in peers.enumerated() {
      for entry in members[peer]?.entries ?? [] {
        authors[entry.peer, default: Progress()].add(entry.sequence, of: position)
      }
    }
    var holds = Array(repeating: false, count: peers.count)
    var count = 0
    func hold(_ position: Int) {
      if !holds[position] { count += 1 }
      holds[position] = true
    }
    var entries: [Knowledge.Entry] = []
    for (author, progress) in authors {
      let areAll = progress.members.count == peers.count
      if areAll { entries.append(Knowledge.Entry(peer: author, sequence: progress.least)) }
      // All holders have been found.
      if count == peers.count { continue }
      if areAll, progress.least < progress.most {
        for member in progress.members where member.sequence == progress.least {
          hold(member.position)
        }
      } else if !areAll {
        var have = Array(repeating: false, count: peers.count)
        for member in progress.members { have[member.position] = true }
        for position in peers.indices where !have[position] { hold(position) }
      }
    }
    holders = Set(peers.indices.filter { holds[$0] }.map { peers[$0] })
    common = Knowledge(entries.sorted { $0.peer < $1.peer })
  }
}
