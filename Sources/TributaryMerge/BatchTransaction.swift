import TributaryCore
import TributaryLog
import TributaryStore

/// Who made a change, and what he knew.
public struct BatchTransaction: Sendable {
  public var side: Conflict.Side
  /// What its writes are based on, the author's own transactions among it.
  public var view: Knowledge
  /// What the author had, whatever the write is based on; `nil` for the same.
  public var seen: Knowledge?

  public init(_ header: TransactionHeader, of peer: PeerIdentity) {
    side = Conflict.Side(peer: peer, sequence: header.sequence, time: header.time)
    view = header.basis ?? header.seen(by: peer)
    seen = header.basis == nil ? nil : header.seen(by: peer)
  }

  public init(side: Conflict.Side, view: Knowledge) {
    self.side = side
    self.view = view
  }

  public var stamp: Stamp { Stamp(time: side.time, peer: side.peer) }

  /// Whether the author took another transaction into account.
  public func knows(_ other: Conflict.Side) -> Bool { view[other.peer] >= other.sequence }

  /// Whether the author had another transaction when it wrote.
  func saw(_ other: Conflict.Side) -> Bool { (seen ?? view)[other.peer] >= other.sequence }
}

extension TransactionHeader {
  /// All that the author had imported and made.
  fileprivate func seen(by peer: PeerIdentity) -> Knowledge {
    var seen = knowledge
    seen[peer] = SequenceNumber(sequence.rawValue - 1)
    return seen
  }
}
