import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Restores what the store knew about other peers at what time, if that is inconsistent. Its own segments
/// state it for what is published, and its `peer.json` for the rest.
struct KnowledgeRepair {
  let connection: Connection
  let environment: StoreEnvironment
  let directory: ContentDirectory
  let listing: ContentListing
  let own: SegmentStore

  /// Restores the knowledge.
  ///
  /// - Parameter names: intact segments that the store remembers.
  func run(_ names: [SegmentName]) throws {
    let corrections = try Corrections.applied(connection).all()
    let settled = try HorizonRecord(connection).settled
    if try isRight(names, corrections, settled) { return }
    var steps: [(after: SequenceNumber, entry: Knowledge.Entry)] = []
    var known = Knowledge()
    func rise(to knowledge: Knowledge, after: SequenceNumber) {
      for entry in knowledge.entries where entry.sequence > known[entry.peer] {
        steps.append((after, entry))
        known[entry.peer] = entry.sequence
      }
    }
    var last = SequenceNumber.zero
    for name in names {
      var reader = try own.reader(of: name)
      while let header = try reader.nextTransaction() {
        let head = corrections.corrected(header, of: own.peer)
        guard head.sequence > last else { continue }
        rise(to: head.knowledge, after: SequenceNumber(head.sequence.rawValue - 1))
        last = head.sequence
      }
    }
    // Without the file, what came after the last own transaction is imported again.
    let manifest = try? PeerManifest.read(
      of: own.peer, in: directory, using: environment.fileSystem, horizons: own.horizons)
    rise(to: manifest?.receipt ?? Knowledge(), after: last)
    // A store that has forgotten knew all of this, and no store could import it again.
    rise(to: settled?.horizon.without(own.peer) ?? Knowledge(), after: last)
    let times = try known.entries.map { try time(of: $0, settled) }
    try connection.immediate {
      try connection.execute("DELETE FROM tributary_knowledge; DELETE FROM tributary_peer")
      let table = KnowledgeTable(connection)
      for step in steps {
        let index = known.entries.firstIndex { $0.peer == step.entry.peer } ?? 0
        try table.advance(
          step.entry.peer, to: step.entry.sequence, time: times[index], after: step.after)
      }
    }
  }

  private func isRight(
    _ names: [SegmentName], _ corrections: [KnowledgeCorrection], _ settled: Declaration?
  ) throws -> Bool {
    let table = KnowledgeTable(connection)
    do {
      try table.checkConsistent()
      for peer in try table.peers() where peer.peer == own.peer { return false }
      _ = try table.steps(after: .zero, before: .max)
      let current = try table.current()
      if let settled, !current.isSuperset(of: settled.horizon.without(own.peer)) { return false }
      for name in names {
        let header = try own.header(of: name)
        guard let whole = try own.knowledge(of: header) else { continue }
        let published = corrections.corrected(whole, of: own.peer, at: header.last)
        let known = published.believable(by: current)
        if try table.at(header.last).believable(by: current, like: published) != known {
          return false
        }
      }
      for peer in try table.peers()
      where try time(of: Knowledge.Entry(peer: peer.peer, sequence: peer.sequence), settled)
        != peer.time
      {
        return false
      }
      return true
    } catch let error as StoreError where error.code == .damaged {
      return false
    } catch let error as SyncError where error.code == .logsMissing {
      // The replay throws this error again, if it matters.
      return true
    }
  }

  /// Returns the time of a peer's transaction.
  ///
  /// - Parameter settled: the declaration by which the store has forgotten; it states when the last
  ///   transaction below its horizon was made.
  private func time(
    of entry: Knowledge.Entry, _ settled: Declaration?
  ) throws -> HybridTime {
    let time = SegmentStream.time(
      of: entry.sequence,
      listing.peers.first { $0.peer == entry.peer } ?? PeerListing(peer: entry.peer),
      segments: SegmentStore(
        directory, peer: entry.peer, using: environment.fileSystem, horizons: own.horizons),
      verified: VerifiedSegments())
    if let time { return time }
    if let settled, settled.horizon[entry.peer] == entry.sequence,
      let time = settled.times[entry.peer]
    {
      return time
    }
    throw MissingTransaction(sequence: entry.sequence, peer: entry.peer).absence(from: directory)
  }
}

extension Knowledge {
  /// Returns the knowledge of all other peers' transactions.
  func without(_ peer: PeerIdentity) -> Knowledge {
    Knowledge(entries.filter { $0.peer != peer })
  }

  /// Returns the knowledge without entries beyond what is known of their peers. Those were imported from a
  /// copy of a peer's store, and no longer belong to that peer.
  ///
  /// - Parameter other: the knowledge that decides; `nil` means this one.
  func believable(by current: Knowledge, like other: Knowledge? = nil) -> Knowledge {
    Knowledge(entries.filter { (other ?? self)[$0.peer] <= current[$0.peer] })
  }
}
