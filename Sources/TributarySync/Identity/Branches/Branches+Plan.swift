import Synchronization
import TributaryContainer
import TributaryCore
import TributaryStore

/// A cache of the trees.
final class BranchTreeCache: Sendable {
  private struct Key: Hashable {
    var peer: PeerIdentity
    var files: [SegmentFile]
  }

  private let known = Mutex<[Key: BranchTree]>([:])

  func tree(of listing: PeerListing, _ make: () -> BranchTree) -> BranchTree {
    let key = Key(peer: listing.peer, files: listing.segments)
    if let tree = known.withLock({ $0[key] }) { return tree }
    let tree = make()
    known.withLock { $0[key] = tree }
    return tree
  }
}

extension Branches {
  /// Returns what this container has of an identity's logs in intact files, written by any device.
  func tree(of peer: PeerIdentity, in listing: ContentListing) -> BranchTree {
    guard let listing = listing.peers.first(where: { $0.peer == peer }) else {
      return BranchTree([])
    }
    return trees.tree(of: listing) {
      BranchTree(
        listing.segments.compactMap { file in
          guard isWhole(file, of: peer),
            let times = exchange.memory.times.all(in: file.name, segments(peer))
          else { return nil }
          return BranchTree.Part(first: file.name.first, times: times)
        })
    }
  }

  /// Whether a peer's segments contradict each other, or some of it was issued again.
  func hasBranches(_ listing: PeerListing) -> Bool {
    if withdrawals.contains(where: { $0.former == listing.peer }) { return true }
    var furthest: SegmentFile?
    for file in listing.segments {
      if let furthest, file.name.first <= furthest.name.last,
        firstContradiction(file, furthest, listing.peer) != nil
      {
        return true
      }
      if furthest.map({ $0.name.last < file.name.last }) ?? true { furthest = file }
    }
    return false
  }

  /// Returns the branches of a peer's logs that do not stay under its identity.
  func branches(
    of peer: PeerIdentity, in listing: ContentListing, known: [KnowledgeTable.Peer]
  ) throws -> [Branch] {
    let known = known.first { $0.peer == peer && $0.sequence > .zero }
    let owned = Set(listing.peers.filter(\.hasManifest).map(\.peer)).union([exchange.own])
    return BranchPlan(
      peer: peer, tree: tree(of: peer, in: listing),
      withdrawals: try withdrawals.filter { $0.former == peer }.map {
        var withdrawal = $0
        let first = SequenceNumber(1)
        withdrawal.time = try $0.time ?? time(of: first, by: $0.peer, in: listing)
        return withdrawal
      },
      known: known.map { BranchTree.Node(sequence: $0.sequence, time: $0.time) },
      isFree: { !owned.contains($0) }
    ).branches()
  }
}
