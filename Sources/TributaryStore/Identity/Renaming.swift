import TributaryCore

/// What a store's own transactions are called after it has taken another identity.
public struct Renaming: Sendable {
  public var former: PeerIdentity
  /// Transactions up to this one stay with the former identity; later ones are numbered from 1.
  public var last: SequenceNumber
  public var new: PeerIdentity

  public init(former: PeerIdentity, last: SequenceNumber, new: PeerIdentity) {
    self.former = former
    self.last = last
    self.new = new
  }

  /// A transaction of this store, or any other one.
  func renamed(_ side: Conflict.Side) -> Conflict.Side {
    guard side.peer == former, side.sequence > last else { return side }
    var side = side
    side.peer = new
    side.sequence = SequenceNumber(side.sequence.rawValue - last.rawValue)
    return side
  }

  /// What that store itself knew of itself and others.
  public func renamed(_ knowledge: Knowledge) -> Knowledge {
    let own = knowledge[former]
    guard own > last else { return knowledge }
    var knowledge = knowledge
    knowledge[former] = last
    knowledge[new] = SequenceNumber(own.rawValue - last.rawValue)
    return knowledge
  }
}
