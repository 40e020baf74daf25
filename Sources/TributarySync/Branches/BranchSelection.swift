import TributaryContainer
import TributaryCore

/// What of a container's logs may be imported where stores have written under one identity.
struct BranchSelection {
  /// Without segments whose transactions were issued again under another identity.
  var listing: ContentListing
  /// Up to where logs may be read; others to their end.
  private(set) var limits: [PeerIdentity: SequenceNumber] = [:]
  /// What is left out for that, and why.
  private(set) var waiting: [Waiting] = []
  /// Peers of which this store has imported what is no longer theirs, and what they have in common
  /// with the log that is there.
  private(set) var strayed: [PeerIdentity: SequenceNumber] = [:]

  init(_ listing: ContentListing) { self.listing = listing }

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
