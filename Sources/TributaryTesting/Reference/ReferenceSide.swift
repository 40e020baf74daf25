package import TributaryCore

/// A transaction by its name.
package struct ReferenceSide: Hashable, Sendable {
  package var peer: PeerIdentity
  package var sequence: SequenceNumber
  package var time: HybridTime

  package init(peer: PeerIdentity, sequence: SequenceNumber, time: HybridTime) {
    self.peer = peer
    self.sequence = sequence
    self.time = time
  }

  package var stamp: Stamp { Stamp(time: time, peer: peer) }
}

extension ReferenceSide: CustomStringConvertible {
  package var description: String { "\(peer)/\(sequence)" }
}
