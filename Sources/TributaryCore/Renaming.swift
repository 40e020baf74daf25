/// Which name transactions of a peer have that were issued again under another identity.
public struct Renaming: Hashable, Sendable {
  public var former: PeerIdentity
  /// Transactions up to this one stay with the former identity; later ones are numbered from 1.
  public var last: SequenceNumber
  public var new: PeerIdentity

  public init(former: PeerIdentity, last: SequenceNumber, new: PeerIdentity) {
    self.former = former
    self.last = last
    self.new = new
  }

  /// What somebody knew, by present names.
  public func renamed(_ knowledge: Knowledge) -> Knowledge {
    let known = knowledge[former]
    guard known > last else { return knowledge }
    var knowledge = knowledge
    knowledge[former] = last
    knowledge[new] = max(
      knowledge[new], SequenceNumber(known.rawValue - last.rawValue))
    return knowledge
  }
}
