import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryMerge
import TributarySQLite
import TributaryStore

/// What a store has already and what is later than changes that are being imported: only that can
/// change what they mean.
struct History {
  /// A segment with imported transactions is gone from the container.
  struct Missing: Error {
    var peer: PeerIdentity
    var sequence: SequenceNumber
  }

  let own: PeerIdentity
  let connection: Connection
  let listing: ContentListing
  let segments: (PeerIdentity) -> SegmentStore
  let verified: VerifiedSegments

  /// Adds to `batch` all that is later than its earliest change.
  ///
  /// - Parameter known: what has been imported from each peer, and the time of the last of it.
  func add(to batch: MergeBatch, known: [KnowledgeTable.Peer]) throws {
    guard let earliest = batch.earliest else { return }
    try addOwn(to: batch, earliest)
    for peer in known where Stamp(time: peer.time, peer: peer.peer) > earliest {
      try add(peer, to: batch, earliest)
    }
  }

  private func addOwn(to batch: MergeBatch, _ earliest: Stamp) throws {
    guard let first = try Outbox(connection).firstSequence(notBefore: earliest.time) else { return }
    let stream = try OutboxStream(peer: own, connection: connection, from: first)
    try add(stream, to: batch, earliest)
  }

  private func add(_ peer: KnowledgeTable.Peer, to batch: MergeBatch, _ earliest: Stamp) throws {
    let files = listing.peers.first { $0.peer == peer.peer }?.segments ?? []
    var upper = peer.sequence
    while upper > .zero {
      let covering = files.filter { $0.name.first <= upper && upper <= $0.name.last }
      guard let file = covering.min(by: { $0.name.first < $1.name.first }) else {
        throw Missing(peer: peer.peer, sequence: upper)
      }
      var part = PeerListing(peer: peer.peer)
      part.segments = [file]
      let stream = try SegmentStream(
        part, segments: segments(peer.peer), after: SequenceNumber(file.name.first.rawValue - 1),
        upTo: upper, verified: verified)
      let firstTime = stream.head?.time
      try add(stream, to: batch, earliest)
      // A damaged file is as good as a missing one, until it is whole again.
      guard let firstTime, stream.damaged.isEmpty else {
        throw Missing(peer: peer.peer, sequence: file.name.first)
      }
      if Stamp(time: firstTime, peer: peer.peer) < earliest { return }
      upper = SequenceNumber(file.name.first.rawValue - 1)
    }
  }

  private func add(
    _ stream: some TransactionStream, to batch: MergeBatch, _ earliest: Stamp
  ) throws {
    var mappings = ShapeMappings()
    while let header = stream.head {
      let stamp = Stamp(time: header.time, peer: stream.peer)
      while stamp > earliest, let change = try stream.nextChange() {
        // What has been imported could be mapped then; a table dropped since has no rows to merge.
        if let mapping = try? mappings.mapping(change.shapeID, of: stream, in: batch) {
          try batch.addExisting(change, mapping: mapping, stamp: stamp)
        }
      }
      try stream.advance()
    }
  }
}
