import TributaryContainer
import TributaryCore
import TributaryReplay

/// The part of a container's logs that may be imported if several stores have written under one
/// identity.
struct BranchSelection {
  /// The listing without segments whose transactions were issued again under another identity.
  var listing: ContentListing
  /// The last transactions up to which logs may be read; logs without an entry are read to their
  /// end.
  private(set) var limits: [PeerIdentity: SequenceNumber] = [:]
  /// What is left out for that reason, and why.
  private(set) var waiting: [Waiting] = []
  /// Peers of which this store has imported transactions that are no longer theirs, each with the last
  /// transaction in common with the present log.
  private(set) var strayed: [PeerIdentity: SequenceNumber] = [:]
  /// The files with transactions that another store wrote under the names of transactions that this store has
  /// imported.
  var foreign: [PeerIdentity: Set<SegmentName>] = [:]

  init(_ listing: ContentListing) { self.listing = listing }

  /// The listing for importing, and for reading again what was imported.
  var readable: ContentListing {
    if foreign.isEmpty { return listing }
    var readable = listing
    for place in readable.peers.indices {
      guard let names = foreign[readable.peers[place].peer] else { continue }
      readable.peers[place].segments.removeAll { names.contains($0.name) }
    }
    return readable
  }

  /// Leaves out what comes after a transaction of a peer.
  mutating func stop(_ peer: PeerIdentity, after last: SequenceNumber, _ reason: Waiting.Reason) {
    if let limit = limits[peer], limit <= last { return }
    limits[peer] = last
    waiting.removeAll { $0.peer == peer }
    waiting.append(Waiting(peer: peer, sequence: last.next, reason: reason))
  }

  mutating func stray(_ peer: PeerIdentity, after last: SequenceNumber) {
    strayed[peer] = min(strayed[peer] ?? last, last)
  }
}
