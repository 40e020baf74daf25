import TributaryCore
import TributaryLog
import TributaryStore

/// Who made a change, and what he knew.
public struct BatchTransaction: Sendable {
  public var side: Conflict.Side
  /// What its writes are based on, the author's own transactions among it.
  public var view: Knowledge

  public init(_ header: TransactionHeader, of peer: PeerIdentity) {
    side = Conflict.Side(peer: peer, sequence: header.sequence, time: header.time)
    view = header.view(of: peer)
  }

  public init(side: Conflict.Side, view: Knowledge) {
    self.side = side
    self.view = view
  }

  public var stamp: Stamp { Stamp(time: side.time, peer: side.peer) }

  /// Whether the author took another transaction into account.
  public func knows(_ other: Conflict.Side) -> Bool { view[other.peer] >= other.sequence }

  func isConcurrent(with other: BatchTransaction) -> Bool {
    !knows(other.side) && !other.knows(side)
  }
}

extension TransactionHeader {
  /// What the author took into account: the basis, or all that it had imported and made.
  public func view(of peer: PeerIdentity) -> Knowledge {
    if let basis { return basis }
    var view = knowledge
    view[peer] = SequenceNumber(sequence.rawValue - 1)
    return view
  }
}
