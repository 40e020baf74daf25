import TributaryContainer
import TributaryCore
import TributaryStore

/// Finds segments of one log that contradict each other, because more than one store has written it.
extension Branches {
  /// Compares segments that contain the same transactions. Once logs split, everything that follows differs,
  /// so the last common transaction decides.
  func findContradiction(
    at place: Int, _ known: KnowledgeTable.Peer?, _ selection: inout BranchSelection
  ) throws {
    let listing = selection.listing.peers[place]
    var isDivided = false
    defer { if isDivided, let known { leaveOutForeign(listing, known, &selection) } }
    var furthest: SegmentFile?
    for file in listing.segments {
      if let known, file.name.first <= known.sequence, known.sequence <= file.name.last,
        let time = exchange.memory.times.time(
          of: known.sequence, in: file.name, of: listing.peer, segments(listing.peer)),
        time != known.time, isWhole(file, of: listing.peer)
      {
        // The names in a declared horizon are final: the file belongs to the other branch.
        if try known.sequence <= exchange.finalName(of: listing.peer) {
          selection.listing.peers[place].segments.removeAll { $0.name == file.name }
          continue
        }
        isDivided = true
        selection.stray(listing.peer, after: .zero)
        selection.stop(
          listing.peer, after: known.sequence, .strayed(from: listing.peer, after: .zero))
      }
      if let other = furthest, file.name.first <= other.name.last {
        if let first = firstContradiction(file, other, listing.peer),
          try first > exchange.finalName(of: listing.peer)
        {
          isDivided = true
          selection.stop(
            listing.peer, after: max(known?.sequence ?? .zero, SequenceNumber(first.rawValue - 1)),
            .fork(first))
        }
      }
      if furthest.map({ $0.name.last < file.name.last }) ?? true { furthest = file }
    }
  }

  /// A branch may continue, in files that are left out, beyond the part that was issued again: the peer that
  /// did so had less of it. Stops before that remainder until it was issued again, too.
  func stopAtRemainder(
    of withdrawal: Withdrawal, in left: [SegmentFile], _ listing: ContentListing,
    _ known: KnowledgeTable.Peer?, _ selection: inout BranchSelection
  ) throws {
    let (peer, next) = (withdrawal.former, withdrawal.reissued.next)
    guard left.contains(where: { $0.name.last >= next }), try next > exchange.finalName(of: peer)
    else { return }
    for file in left where file.name.last >= next && isWhole(file, of: peer) {
      let time = exchange.memory.times.time(of: next, in: file.name, segments(peer))
      let isReissued = try withdrawals.contains {
        try $0.former == peer && $0.contains(next)
          && isOf($0, next, madeAt: time, in: listing) != false
      }
      if !isReissued {
        selection.stop(
          peer, after: max(known?.sequence ?? .zero, withdrawal.reissued), .fork(next))
      }
    }
  }

  /// Records the files of the other branches: what conflicts with an import is read again from the branch
  /// that was imported.
  private func leaveOutForeign(
    _ listing: PeerListing, _ known: KnowledgeTable.Peer, _ selection: inout BranchSelection
  ) {
    let tree = tree(of: listing.peer, in: selection.listing)
    let node = BranchTree.Node(sequence: known.sequence, time: known.time)
    let foreign = listing.segments.filter { file in
      let last = min(file.name.last, known.sequence)
      guard file.name.first <= last, let own = tree.ancestor(of: node, at: last),
        let time = exchange.memory.times.time(of: last, in: file.name, segments(listing.peer))
      else { return false }
      return time != own.time
    }
    if !foreign.isEmpty { selection.foreign[listing.peer] = Set(foreign.map(\.name)) }
  }

  func firstContradiction(
    _ one: SegmentFile, _ other: SegmentFile, _ peer: PeerIdentity
  ) -> SequenceNumber? {
    let segments = segments(peer)
    func differ(_ sequence: SequenceNumber) -> Bool {
      guard let time = exchange.memory.times.time(of: sequence, in: one.name, segments),
        let second = exchange.memory.times.time(of: sequence, in: other.name, segments)
      else { return false }
      return time != second
    }
    var upper = min(one.name.last, other.name.last)
    guard differ(upper), isWhole(one, of: peer), isWhole(other, of: peer) else { return nil }
    var lower = max(one.name.first, other.name.first)
    while lower < upper {
      let middle = SequenceNumber(lower.rawValue + (upper.rawValue - lower.rawValue) / 2)
      if differ(middle) { upper = middle } else { lower = middle.next }
    }
    return upper
  }

  /// Whether a segment can be read to the end. A damaged one proves nothing here. The import names it and
  /// sets it aside.
  func isWhole(_ file: SegmentFile, of peer: PeerIdentity) -> Bool {
    (try? exchange.memory.verified.verify(file.name, in: segments(peer))) != nil
  }
}
