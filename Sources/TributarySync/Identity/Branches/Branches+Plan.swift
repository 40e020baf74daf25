import Synchronization
import TributaryContainer
import TributaryCore
import TributaryStore

/// A cache of the trees.
final class BranchTreeCache: Sendable {
  private struct Key: Hashable {
    var peer: PeerIdentity
    /// The files of the peer, and those of the peers that have issued some of its transactions again.
    var files: [[SegmentFile]]
  }

  private let known = Mutex<[Key: BranchTree]>([:])

  func tree(
    of listing: PeerListing, _ others: [PeerListing], _ make: () -> BranchTree
  ) -> BranchTree {
    let key = Key(peer: listing.peer, files: [listing.segments] + others.map(\.segments))
    if let tree = known.withLock({ $0[key] }) { return tree }
    let tree = make()
    known.withLock { $0[key] = tree }
    return tree
  }
}

extension Branches {
  /// Returns what this container has of an identity's logs in intact files, written by any device, including
  /// what was issued again under other identities: the original files are gone then, and what another store
  /// wrote after it may remain.
  func tree(of peer: PeerIdentity, in listing: ContentListing) -> BranchTree {
    guard let files = listing.peers.first(where: { $0.peer == peer }) else {
      return BranchTree([])
    }
    let reissued = withdrawals.filter { $0.former == peer }
    let others = listing.peers.filter { other in reissued.contains { $0.peer == other.peer } }
    let owned = owned(in: listing)
    return trees.tree(of: files, others) {
      BranchTree(
        files.segments.compactMap { file in
          guard isWhole(file, of: peer),
            let times = exchange.memory.times.all(in: file.name, segments(peer))
          else { return nil }
          return BranchTree.Part(first: file.name.first, times: times)
        }
          + reissued.map {
            let times = times(of: $0, in: listing)
            return BranchTree.Part(
              first: $0.last.next, times: times,
              isLast: owned.contains($0.peer) && UInt64(times.count) == $0.count)
          })
    }
  }

  /// Returns the times of what was issued again, from the first transaction on, as far as intact files show
  /// them.
  private func times(of withdrawal: Withdrawal, in listing: ContentListing) -> [HybridTime] {
    let count = withdrawal.count
    var times: [HybridTime] = []
    for file in listing.peers.first(where: { $0.peer == withdrawal.peer })?.segments ?? []
    where UInt64(times.count) < count && file.name.first.rawValue <= UInt64(times.count) + 1
      && file.name.last.rawValue > UInt64(times.count) && isWhole(file, of: withdrawal.peer)
    {
      let all = exchange.memory.times.all(in: file.name, segments(withdrawal.peer)) ?? []
      times += all.dropFirst(times.count + 1 - Int(file.name.first.rawValue))
    }
    return Array(times.prefix(Int(clamping: count)))
  }

  /// Whether a peer's segments contradict each other, or some of their transactions were issued again.
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

  /// Returns the identities that stores have.
  private func owned(in listing: ContentListing) -> Set<PeerIdentity> {
    Set(listing.peers.filter(\.hasManifest).map(\.peer)).union([exchange.own])
  }

  /// Returns the branches of a peer's logs that do not stay under its identity.
  func branches(
    of peer: PeerIdentity, in listing: ContentListing, known: [KnowledgeTable.Peer]
  ) throws -> [Branch] {
    let known = known.first { $0.peer == peer && $0.sequence > .zero }
    let owned = owned(in: listing)
    let reissued = withdrawals.filter { $0.former == peer }
    return BranchPlan(
      peer: peer, tree: tree(of: peer, in: listing),
      issued: Dictionary(
        reissued.map { ($0.peer, times(of: $0, in: listing)) },
        uniquingKeysWith: { $0.count < $1.count ? $1 : $0 }),
      withdrawals: try reissued.map {
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
