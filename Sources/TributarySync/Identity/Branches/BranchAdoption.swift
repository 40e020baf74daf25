import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Issues transactions under a shared identity again, on behalf of a store that does not do so itself.
///
/// No device can know whether such a store is gone. So this does what the store itself would do, byte for
/// byte as far as it counts. The store may come back at any time: it then finds that this was done, and
/// continues from there. It does no harm if several devices do this at the same time.
struct BranchAdoption {
  let branches: Branches

  private var exchange: Exchange { branches.exchange }
  private var own: PeerIdentity { exchange.own }
  private var connection: Connection { exchange.connection }
  private var listing: ContentListing { exchange.listing }

  /// The part of a branch that one file contains, by the numbers that it has there.
  private typealias Excerpt = (file: SegmentFile, range: ClosedRange<SequenceNumber>)

  /// Issues the branches again.
  ///
  /// - Parameter announce: called before any peer can see what is issued again: a device that sees it must
  ///   know what it is.
  /// - Returns: whether anything was done.
  /// - Throws: `ContainerError`, `FileError`. What was written before stays, and is found the next time.
  func perform(announce: () throws -> Void) throws -> Bool {
    let known = try KnowledgeTable(connection).peers()
    var adopted: [Withdrawal] = []
    var work: [(listing: PeerListing, branches: [Branch])] = []
    for peer in listing.peers where peer.peer != own && branches.hasBranches(peer) {
      let found = try branches.branches(of: peer.peer, in: listing, known: known)
      work.append((peer, found))
      for branch in found where branch.peer != own && !isStated(branch, of: peer.peer) {
        adopted.append(
          Withdrawal(
            former: peer.peer, last: branch.last, reissued: branch.end, peer: branch.peer,
            time: branch.times[0]))
      }
    }
    if !adopted.isEmpty {
      try connection.immediate { try Adoptions(Settings(connection)).add(adopted) }
      try announce()
    }
    var hasWritten = false
    for (peer, branches) in work {
      hasWritten = try supplyCommon(peer, branches) || hasWritten
      for branch in branches where branch.peer != own {
        hasWritten = try supply(branch, of: peer) || hasWritten
      }
    }
    return hasWritten || !adopted.isEmpty
  }

  /// Publishes what branches that were issued again have in common, if only files that are now left out
  /// contain it.
  ///
  /// - Parameter gone: the identities that no store has any more. The stores of other identities may still
  ///   publish it themselves, unless all else that their files here contain is left out.
  /// - Returns: whether anything was published.
  func supplyCommon(gone: Set<PeerIdentity>) throws -> Bool {
    let known = try KnowledgeTable(connection).peers()
    let left = Set(branches.withdrawals.map(\.former)).subtracting([own])
    var hasWritten = false
    for peer in listing.peers where left.contains(peer.peer) {
      let found = try branches.branches(of: peer.peer, in: listing, known: known)
      let common = common(of: found)
      guard
        gone.contains(peer.peer)
          || peer.segments.allSatisfy({ $0.name.last <= common || isLeftOut($0, peer, found) })
      else { continue }
      hasWritten = try supplyCommon(peer, found) || hasWritten
    }
    return hasWritten
  }

  private func isStated(_ branch: Branch, of peer: PeerIdentity) -> Bool {
    branches.withdrawals.contains {
      $0.former == peer && $0.peer == branch.peer && $0.last == branch.last
        && $0.reissued >= branch.end
    }
  }

  /// Publishes what is missing from the log of a branch.
  private func supply(_ branch: Branch, of peer: PeerListing) throws -> Bool {
    let present = end(of: branch.peer)
    let source = branches.segments(peer.peer)
    var next = SequenceNumber(branch.last.rawValue + present.rawValue + 1)
    var hasWritten = false
    while next <= branch.end {
      guard
        let excerpt = excerpt(
          from: next, of: peer,
          { sequence in
            let index = sequence.rawValue - branch.last.rawValue - 1
            return index < UInt64(branch.times.count) ? branch.times[Int(index)] : nil
          })
      else { return hasWritten }
      let target = exchange.segments(of: branch.peer)
      try target.addDirectories()
      try SegmentExcerpt(
        file: excerpt.file.name, source: source, range: excerpt.range,
        renamings: branch.renamings, corrections: branches.allCorrections
      ).publish(in: target)
      hasWritten = true
      next = excerpt.range.upperBound.next
    }
    return hasWritten
  }

  /// Whether a file contains transactions of a branch, all of which are issued again.
  private func isLeftOut(_ file: SegmentFile, _ peer: PeerListing, _ all: [Branch]) -> Bool {
    all.contains { branch in
      let sequence = max(file.name.first, branch.last.next)
      guard sequence <= min(file.name.last, branch.end) else { return false }
      return exchange.memory.times.time(
        of: sequence, in: file.name, branches.segments(peer.peer))
        == branch.times[Int(sequence.rawValue - branch.last.rawValue - 1)]
    }
  }

  /// Returns the last transaction that branches have in common with the identity itself.
  private func common(of all: [Branch]) -> SequenceNumber {
    all.filter { $0.renamings.count == 1 }.map(\.last).max() ?? .zero
  }

  /// Publishes what all branches have in common, if only a file that is now left out contains it.
  private func supplyCommon(_ peer: PeerListing, _ all: [Branch]) throws -> Bool {
    let last = common(of: all)
    guard last > .zero else { return false }
    let source = branches.segments(peer.peer)
    let kept = peer.segments.filter {
      !isLeftOut($0, peer, all) && branches.isWhole($0, of: peer.peer)
    }
    // Branches that split off the last one share its past.
    guard
      let past = all.filter({ $0.renamings.count == 1 && $0.last == last }).first,
      let child = past.times.first
    else { return false }
    let tree = branches.tree(of: peer.peer, in: listing)
    let node = BranchTree.Node(sequence: last.next, time: child)
    var next = SequenceNumber(1)
    var hasWritten = false
    while next <= last {
      if let file = kept.filter({ $0.name.first <= next && next <= $0.name.last })
        .max(by: { $0.name.last < $1.name.last })
      {
        next = file.name.last.next
        continue
      }
      guard
        let excerpt = excerpt(
          from: next, of: peer,
          { sequence in
            sequence <= last ? tree.ancestor(of: node, at: sequence)?.time : nil
          })
      else { return hasWritten }
      try SegmentExcerpt(
        file: excerpt.file.name, source: source, range: excerpt.range, renamings: []
      ).publish(in: exchange.segments(of: peer.peer))
      hasWritten = true
      next = excerpt.range.upperBound.next
    }
    return hasWritten
  }

  /// Returns the file that contains the most of the wanted transactions from `first` on.
  ///
  /// - Parameter time: returns the time of a wanted transaction; `nil` after the last one.
  private func excerpt(
    from first: SequenceNumber, of peer: PeerListing,
    _ time: (SequenceNumber) -> HybridTime?
  ) -> Excerpt? {
    var best: Excerpt?
    let segments = branches.segments(peer.peer)
    for file in peer.segments
    where file.name.first <= first && first <= file.name.last
      && branches.isWhole(file, of: peer.peer)
    {
      var last: SequenceNumber?
      var sequence = first
      while sequence <= file.name.last, let wanted = time(sequence),
        exchange.memory.times.time(of: sequence, in: file.name, segments) == wanted
      {
        last = sequence
        sequence = sequence.next
      }
      guard let last else { continue }
      if best.map({ $0.range.upperBound < last }) ?? true { best = (file, first...last) }
    }
    return best
  }

  /// Returns the last transaction up to which a log is here in intact files.
  private func end(of peer: PeerIdentity) -> SequenceNumber {
    var whole = ContentListing()
    whole.peers = listing.peers.filter { $0.peer == peer }.map { listing in
      var listing = listing
      listing.segments.removeAll { !branches.isWhole($0, of: peer) }
      return listing
    }
    return whole.end(of: peer)
  }
}
