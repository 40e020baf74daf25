import TributaryContainer
import TributaryCore
import TributaryReplay
import TributarySQLite
import TributaryStore

extension LogReplay {
  /// Gives what was imported from peers and no longer belongs to them its present names.
  ///
  /// What the store has published with knowledge of it stays unchanged, and a correction gives other peers
  /// the present name.
  ///
  /// - Throws: `SyncError` with the code `logsMissing` if no log contains what would be forgotten.
  func returnFromStrayed() throws {
    let exchange = try Exchange(of: connection, environment)
    let (branches, listing) = (try Branches(exchange), exchange.listing)
    let peers = try KnowledgeTable(connection).peers()
    let selected = try branches.select(from: listing, known: peers)
    let published = try SegmentTable(connection).last()
    let corrections = Corrections.applied(connection)
    try corrections.add(branches.allCorrections)
    try Corrections.missed(connection).removeAll()
    for (peer, last) in selected.strayed.sorted(by: { $0.key < $1.key }) {
      guard let known = peers.first(where: { $0.peer == peer }) else { continue }
      let withdrawal = try branches.withdrawal(of: known, in: listing)
      // Another branch is merely in the way: the one that was imported is here, and stays.
      if withdrawal == nil,
        time(of: known.sequence, by: peer, selected.readable, exchange) == known.time
      {
        continue
      }
      if try withdrawal == nil && !isMisremembered(known, exchange, selected.listing) {
        throw SyncError(
          .logsMissing,
          "the store has imported transactions of \(peer) up to \(known.sequence) that differ from those in "
            + "the container and are in no other log: rebuilding would lose them",
          path: exchange.directory.log(of: peer),
          remedy:
            "run `tributary sync` on the device that wrote them, which issues them again, and wait "
            + "for the carrier; if it is gone, `tributary sync --reseed` here does that for it where their "
            + "files are left; the store stays as it is until then")
      }
      let table = KnowledgeTable(connection)
      guard let withdrawal else {
        let time = time(of: last, by: peer, selected.listing, exchange)
        try setBack(peer, to: last, time, exchange)
        continue
      }
      let path = try branches.path(of: withdrawal, in: listing)
      for (index, step) in path.enumerated() {
        if let first = try table.firstKnowing(peer, beyond: step.last) {
          let renaming = Renaming(former: peer, last: step.last, new: step.peer)
          if first <= published {
            try corrections.add([
              KnowledgeCorrection(
                author: exchange.own, renaming, first: first, last: published)
            ])
          }
          if step.peer != exchange.own { try table.rename(renaming) }
          try IdentityChange(connection, renaming).renameBases()
        }
        let before = index + 1 < path.count ? path[index + 1] : nil
        let time =
          if let before {
            try branches.time(of: before.renamed(step.last), by: before.peer, in: listing)
          } else {
            time(of: step.last, by: peer, selected.listing, exchange)
          }
        try setBack(peer, to: step.last, time, exchange)
      }
    }
  }

  /// Sets what is known about a peer back to what its stores have in common.
  ///
  /// - Parameter time: the time of the last transaction that they have in common; `nil` if no log contains
  ///   it.
  private func setBack(
    _ peer: PeerIdentity, to last: SequenceNumber, _ time: HybridTime?, _ exchange: Exchange
  ) throws {
    // What was declared final may be in a baseline alone, which is read from the beginning.
    guard try time != nil || last <= exchange.finalName(of: peer) else {
      throw SyncError(
        .logsMissing,
        "what the stores that have written as \(peer) have in common, up to transaction \(last), is in no log of it "
          + "now: rebuilding would lose it",
        path: exchange.directory.log(of: peer),
        remedy:
          "run `tributary sync --reseed` where a file has it, which publishes it again, and wait for the carrier; the "
          + "store stays as it is until then")
    }
    try KnowledgeTable(connection).setBack(peer, to: last, time: time ?? .zero)
  }

  /// Whether the bookkeeping is wrong: the store has published another time for what it has imported, and
  /// that time is the one in the log.
  private func isMisremembered(
    _ known: KnowledgeTable.Peer, _ exchange: Exchange, _ listing: ContentListing
  ) throws -> Bool {
    // Without the file, there is no evidence for that.
    guard
      let manifest = try? PeerManifest.read(
        of: exchange.own, in: exchange.directory, using: environment.fileSystem,
        horizons: exchange.horizons),
      manifest.receipt[known.peer] == known.sequence, let published = manifest.times[known.peer]
    else { return false }
    return published != known.time
      && time(of: known.sequence, by: known.peer, listing, exchange) == published
  }

  /// Returns the time of a peer's transaction.
  ///
  /// - Parameter listing: the listing without what belongs to another peer now.
  private func time(
    of sequence: SequenceNumber, by peer: PeerIdentity, _ listing: ContentListing,
    _ exchange: Exchange
  ) -> HybridTime? {
    SegmentStream.time(
      of: sequence, listing.peers.first { $0.peer == peer } ?? PeerListing(peer: peer),
      segments: exchange.segments(of: peer), verified: exchange.memory.verified)
  }
}
