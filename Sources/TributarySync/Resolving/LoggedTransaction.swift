import TributaryCore
import TributaryLog

/// A transaction as the logs have it, without its changes.
struct LoggedTransaction: Hashable {
  var stamp: Stamp
  var sequence: SequenceNumber
  var knowledge: Knowledge
  var basis: Knowledge?

  init(_ head: TransactionHeader, of peer: PeerIdentity) {
    stamp = Stamp(time: head.time, peer: peer)
    sequence = head.sequence
    knowledge = head.knowledge
    basis = head.basis
  }

  var peer: PeerIdentity { stamp.peer }

  /// Whether its author saw another one when it wrote, or said to have seen.
  func knows(_ other: LoggedTransaction) -> Bool {
    if let basis { return basis[other.peer] >= other.sequence }
    return knowledge[other.peer] >= other.sequence
      || other.peer == peer && other.sequence < sequence
  }
}
