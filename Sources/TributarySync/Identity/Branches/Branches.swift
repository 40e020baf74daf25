import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Distinguishes what different stores have written under one identity.
struct Branches {
  let exchange: Exchange
  let withdrawals: [Withdrawal]
  /// The corrections with which this store has read logs.
  let corrections: [KnowledgeCorrection]
  /// The corrections that others have announced since.
  let newCorrections: [KnowledgeCorrection]
  /// Those among them that this store has missed.
  let missedCorrections: [KnowledgeCorrection]
  let files: FilesAtHand
  let trees = BranchTreeCache()

  init(_ exchange: Exchange) throws {
    let (own, connection, manifests) = (exchange.own, exchange.connection, exchange.manifests)
    self.exchange = exchange
    files = FilesAtHand(exchange.environment.fileSystem)
    var withdrawals: [Withdrawal] = []
    let former = try FormerIdentities(connection).all().filter(\.isShared)
    if !former.isEmpty {
      let time = try RemovedTransactions(connection).firstTime
      withdrawals = former.map {
        Withdrawal(
          former: $0.peer, last: $0.last, reissued: $0.reissued, peer: own, time: time)
      }
    }
    for manifest in manifests.others(than: own) {
      withdrawals += manifest.former.map {
        Withdrawal(
          former: $0, last: $1.last, reissued: $1.reissued, peer: manifest.peer, time: $1.time)
      }
    }
    // A store knows best about its own identities.
    var adopted = try Adoptions(Settings(connection)).all()
    for manifest in manifests.others(than: own) {
      adopted += manifest.adopted.map {
        Withdrawal(
          former: $1.former, last: $1.range.last, reissued: $1.range.reissued, peer: $0,
          time: $1.range.time)
      }
    }
    for adoption in adopted.sorted(by: { $0.reissued > $1.reissued })
    where !withdrawals.contains(where: { adoption.isSameBranch($0) && $0.peer == adoption.peer }) {
      withdrawals.append(adoption)
    }
    let corrections = try Corrections.applied(connection).all()
    var new: [KnowledgeCorrection] = []
    for correction in manifests.others(than: own).flatMap(\.corrections)
    where !corrections.contains(correction) && !new.contains(correction) {
      new.append(correction)
    }
    self.corrections = corrections
    newCorrections = new
    missedCorrections = new.isEmpty ? [] : try Corrections.missed(connection).all()
    self.withdrawals = withdrawals.filter { $0.last < $0.reissued && $0.former != $0.peer }
  }

  /// Selects what may be imported.
  ///
  /// - Parameter known: what has been imported.
  /// - Complexity: O(segments). If some overlap or belong to former identities, a few are read.
  func select(from listing: ContentListing, known: [KnowledgeTable.Peer]) throws -> BranchSelection
  {
    let known = Dictionary(known.map { ($0.peer, $0) }, uniquingKeysWith: { first, _ in first })
    exchange.memory.times.beginLook()
    fetch(listing, known)
    defer { files.removeAll() }
    var selection = BranchSelection(listing)
    for place in listing.peers.indices where listing.peers[place].peer != exchange.own {
      let peer = listing.peers[place].peer
      let last = known[peer].flatMap { $0.sequence > .zero ? $0 : nil }
      correct(peer, at: place, last, &selection)
      for withdrawal in withdrawals where withdrawal.former == peer {
        try leaveOut(withdrawal, at: place, listing, last, &selection)
      }
      if selection.strayed[peer] == nil {
        try findContradiction(at: place, last, &selection)
      }
    }
    return selection
  }

  func segments(_ peer: PeerIdentity) -> SegmentStore {
    exchange.segments(of: peer, using: files)
  }

  /// Returns the present segments of a peer, for a reader of its log that finds one missing.
  ///
  /// - Parameter selection: what is being read. Nothing is returned if less must be read now.
  func listAgain(
    _ peer: PeerIdentity, _ selection: BranchSelection
  ) throws -> [SegmentFile] {
    let now = try select(
      from: exchange.environment.scan(exchange.directory),
      known: KnowledgeTable(exchange.connection).peers())
    guard now.limits[peer] == selection.limits[peer] else { return [] }
    return now.readable.peers.first { $0.peer == peer }?.segments ?? []
  }

  // MARK: What was issued again

  private func leaveOut(
    _ withdrawal: Withdrawal, at place: Int, _ listing: ContentListing,
    _ known: KnowledgeTable.Peer?, _ selection: inout BranchSelection
  ) throws {
    let peer = withdrawal.former
    let (kept, left, unclear) = try leaveOut(
      withdrawal, from: selection.listing.peers[place].segments, listing)
    selection.listing.peers[place].segments = kept
    if let known, withdrawal.contains(known.sequence) {
      let renamed = withdrawal.renamed(known.sequence)
      switch try time(of: renamed, by: withdrawal.peer, in: listing) {
      case nil:
        if try isOf(withdrawal, known.sequence, madeAt: known.time, in: listing) == false { break }
        selection.stop(
          withdrawal.peer, after: .zero, .transaction(peer: withdrawal.peer, sequence: renamed))
      case known.time: stray(from: withdrawal, known, &selection)
      default: break
      }
    } else if let known, withdrawal.last < known.sequence,
      left.contains(where: {
        exchange.memory.times.time(of: known.sequence, in: $0.name, segments(peer)) == known.time
      })
    {
      // The peer that has issued it again had less of it.
      stray(from: withdrawal, known, &selection)
    }
    // These are transactions that may belong to either.
    if let first = unclear.map({ max($0.name.first, withdrawal.last.next) }).min(),
      first > known?.sequence ?? .zero
    {
      selection.stop(
        peer, after: max(withdrawal.last, known?.sequence ?? .zero),
        .transaction(peer: withdrawal.peer, sequence: withdrawal.renamed(first)))
    }
    try stopAtRemainder(of: withdrawal, in: left, listing, known, &selection)
    // These are transactions that exist nowhere else.
    let end = left.map { min($0.name.last, withdrawal.reissued) }.max()
    let present = listing.end(of: withdrawal.peer)
    if withdrawal.peer != exchange.own, let end, present < withdrawal.renamed(end) {
      selection.stop(
        withdrawal.peer, after: present,
        .transaction(peer: withdrawal.peer, sequence: present.next))
    }
  }

  /// Stops importing from both identities what this store has imported under one of them and would import
  /// again under the other.
  private func stray(
    from withdrawal: Withdrawal, _ known: KnowledgeTable.Peer, _ selection: inout BranchSelection
  ) {
    selection.stray(withdrawal.former, after: withdrawal.last)
    for peer in [withdrawal.former, withdrawal.peer] {
      selection.stop(
        peer, after: peer == withdrawal.peer ? .zero : known.sequence,
        .strayed(from: withdrawal.former, after: withdrawal.last))
    }
  }

  /// Leaves out what was withdrawn.
  ///
  /// - Returns: the files that stay, those that are left out, and the part of those that stay that may belong
  ///   to the branch.
  private func leaveOut(
    _ withdrawal: Withdrawal, from files: [SegmentFile], _ listing: ContentListing
  ) throws -> (kept: [SegmentFile], left: [SegmentFile], unclear: [SegmentFile]) {
    var kept: [SegmentFile] = []
    var left: [SegmentFile] = []
    var unclear: [SegmentFile] = []
    for file in files {
      let sequence = max(file.name.first, withdrawal.last.next)
      guard sequence <= file.name.last, withdrawal.contains(sequence) else {
        kept.append(file)
        continue
      }
      let time = exchange.memory.times.time(
        of: sequence, in: file.name, segments(withdrawal.former))
      switch try isOf(withdrawal, sequence, madeAt: time, in: listing) {
      case true?: left.append(file)
      case false?: kept.append(file)
      case nil:
        kept.append(file)
        unclear.append(file)
      }
    }
    return (kept, left, unclear)
  }

  /// Whether a transaction of the former identity belongs to the branch that was issued again; `nil` if that
  /// is not known yet.
  ///
  /// - Parameter time: the time of the transaction; `nil` if it cannot be read.
  func isOf(
    _ withdrawal: Withdrawal, _ sequence: SequenceNumber, madeAt time: HybridTime?,
    in listing: ContentListing
  ) throws -> Bool? {
    if sequence == withdrawal.last.next, let time, let first = withdrawal.time {
      return time == first
    }
    let renamed = withdrawal.renamed(sequence)
    if let reissued = try self.time(of: renamed, by: withdrawal.peer, in: listing) {
      return reissued == time
    }
    if let time, let first = withdrawal.time,
      let ancestor = tree(of: withdrawal.former, in: listing).ancestor(
        of: BranchTree.Node(sequence: sequence, time: time), at: withdrawal.last.next)
    {
      return ancestor.time == first
    }
    // Once a horizon has what was issued again, its files and records may be gone. What still arrives under the
    // former identity is then by the store that has kept that identity (rule 4 of `docs/space.md`).
    return try renamed <= exchange.finalName(of: withdrawal.peer) ? false : nil
  }

  /// Returns the segments in this store's own directory, without what others have issued again.
  func ownSegments(in listing: ContentListing) throws -> [SegmentFile] {
    var files = listing.peers.first { $0.peer == exchange.own }?.segments ?? []
    for withdrawal in withdrawals where withdrawal.former == exchange.own {
      files = try leaveOut(withdrawal, from: files, listing).kept
    }
    return files
  }

  /// Whether a transaction of that number and time was issued again under another identity.
  func isWithdrawn(
    _ sequence: SequenceNumber, of peer: PeerIdentity, madeAt time: HybridTime,
    in listing: ContentListing
  ) throws -> Bool {
    try withdrawals.contains {
      try $0.former == peer && $0.contains(sequence)
        && self.time(of: $0.renamed(sequence), by: $0.peer, in: listing) == time
    }
  }

  /// Returns the withdrawal of what was imported from a peer and no longer belongs to it, if the new log
  /// contains all of it.
  func withdrawal(
    of known: KnowledgeTable.Peer, in listing: ContentListing
  ) throws -> Withdrawal? {
    try withdrawals.first { withdrawal in
      guard withdrawal.former == known.peer, withdrawal.contains(known.sequence) else {
        return false
      }
      let renamed = withdrawal.renamed(known.sequence)
      guard try time(of: renamed, by: withdrawal.peer, in: listing) == known.time else {
        return false
      }
      if withdrawal.peer == exchange.own { return true }
      return listing.end(of: withdrawal.peer) >= renamed
    }
  }

  /// Returns a branch and those that it splits off, as far as these were issued again too, back to what
  /// stays.
  func path(of withdrawal: Withdrawal, in listing: ContentListing) throws -> [Withdrawal] {
    var path = [withdrawal]
    while let step = path.last, path.count <= withdrawals.count,
      let before = try withdrawals.first(where: { before in
        try before.former == step.former && before.contains(step.last)
          && (isStated(step, after: before) || follows(step, before, in: listing))
      })
    {
      path.append(before)
    }
    return path
  }

  /// Whether an author states that one branch splits off another.
  private func isStated(_ branch: Withdrawal, after before: Withdrawal) -> Bool {
    withdrawals.contains {
      $0.former == before.peer && $0.peer == branch.peer
        && $0.last == before.renamed(branch.last)
    }
  }

  /// Whether files show that one branch splits off another, which they do if different peers issued them
  /// again.
  private func follows(
    _ branch: Withdrawal, _ before: Withdrawal, in listing: ContentListing
  ) throws -> Bool {
    let first = SequenceNumber(1)
    guard before.peer != branch.peer,
      let time = try branch.time ?? time(of: first, by: branch.peer, in: listing),
      let start = try before.time ?? self.time(of: first, by: before.peer, in: listing)
    else { return false }
    return tree(of: branch.former, in: listing).ancestor(
      of: BranchTree.Node(sequence: branch.last.next, time: time), at: before.last.next
    ).map { $0.time == start } ?? false
  }

  /// Whether the transaction may have been issued again, if its time is unknown.
  func mayBeWithdrawn(_ sequence: SequenceNumber, of peer: PeerIdentity) -> Bool {
    withdrawals.contains { $0.former == peer && $0.contains(sequence) }
  }

  /// Returns what another copy of this store has issued again under its own identity, as far as this store
  /// has written the same.
  func withdrawalByCopy(
    upTo last: SequenceNumber, in listing: ContentListing
  ) throws -> Withdrawal? {
    for var withdrawal in try withdrawals + unsaidWithdrawals(in: listing)
    where withdrawal.former == exchange.own && withdrawal.last < last {
      func isSame(_ sequence: SequenceNumber) throws -> Bool {
        guard let time = try time(of: sequence, by: exchange.own, in: listing) else { return false }
        let first = sequence == withdrawal.last.next ? withdrawal.time : nil
        return try time == first
          ?? self.time(of: withdrawal.renamed(sequence), by: withdrawal.peer, in: listing)
      }
      guard try isSame(withdrawal.last.next) else { continue }
      // Once logs split, everything that follows differs.
      var same = withdrawal.last.next
      var end = min(withdrawal.reissued, last)
      while same < end {
        let middle = SequenceNumber(end.rawValue - (end.rawValue - same.rawValue) / 2)
        if try isSame(middle) {
          same = middle
        } else {
          end = SequenceNumber(middle.rawValue - 1)
        }
      }
      withdrawal.reissued = same
      return withdrawal
    }
    return nil
  }

  /// Returns withdrawals that a log reveals before its author's statement has arrived: the log begins with a
  /// transaction of this store.
  ///
  /// If both logs begin with it, either may take it over from the other. So that not both do, the statement
  /// must have arrived. If neither states anything, the lesser identity keeps it.
  private func unsaidWithdrawals(in listing: ContentListing) throws -> [Withdrawal] {
    let former = Set(try FormerIdentities(exchange.connection).path().map(\.peer))
    // What a copy has written after it was made belongs to that copy alone, or to copies of it.
    let end = try CopyTable(exchange.connection).first()?.last ?? .max
    let first = SequenceNumber(1)
    let isStating = try FormerIdentities(exchange.connection).all().contains {
      $0.isShared && $0.last < $0.reissued
    }
    return try listing.peers.compactMap { peer in
      guard peer.peer != exchange.own, peer.peer.lineage == exchange.own.lineage,
        !former.contains(peer.peer),
        !withdrawals.contains(where: { $0.peer == peer.peer }),
        let time = try time(of: first, by: peer.peer, in: listing),
        let same = try Outbox(exchange.connection).firstSequence(notBefore: time), same <= end,
        try self.time(of: same, by: exchange.own, in: listing) == time,
        same > first || isStating
          || exchange.manifests.all[peer.peer] != nil && peer.peer < exchange.own
      else { return nil }
      let last = SequenceNumber(same.rawValue - 1)
      return Withdrawal(
        former: exchange.own, last: last,
        reissued: SequenceNumber(last.rawValue + listing.end(of: peer.peer).rawValue),
        peer: peer.peer, time: time)
    }
  }

  /// Returns the time of a peer's transaction, if it is known.
  func time(
    of sequence: SequenceNumber, by peer: PeerIdentity, in listing: ContentListing
  ) throws -> HybridTime? {
    if peer == exchange.own {
      return try Outbox(exchange.connection).records(from: sequence, to: sequence).first?.time
    }
    let files = listing.peers.first { $0.peer == peer }?.segments ?? []
    for file in files where file.name.first <= sequence && sequence <= file.name.last {
      if let time = exchange.memory.times.time(of: sequence, in: file.name, segments(peer)) {
        return time
      }
    }
    return nil
  }
}
