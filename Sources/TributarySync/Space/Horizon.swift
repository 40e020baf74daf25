package import TributaryCore

/// What several peers have in common, and who keeps it from being more.
package struct Horizon {
  /// What all of them have.
  package private(set) var common = Knowledge()
  /// Those that have least of some author, if others have more: without all of these, it would be more.
  package private(set) var holders: Set<PeerIdentity> = []

  /// How far the members have come with the transactions of one author.
  private struct Progress {
    /// The members that have any, by their positions, and what each of them has.
    var members: [(position: Int, sequence: SequenceNumber)] = []
    var least = SequenceNumber.max
    var most = SequenceNumber.zero

    mutating func add(_ sequence: SequenceNumber, of position: Int) {
      members.append((position, sequence))
      least = min(least, sequence)
      most = max(most, sequence)
    }
  }

  /// - Parameter members: what each of them has.
  /// - Complexity: O(*n* log *n*) in the number of entries, and O(*a* *m*) for *m* members and *a* authors of whom not
  ///   every member has something.
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
      // There is nobody left to find.
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
