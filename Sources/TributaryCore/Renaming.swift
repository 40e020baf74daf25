/// A change of a peer's name: transactions that were published under one identity and reissued
/// under another.
package struct Renaming: Hashable, Sendable {
  package var former: PeerIdentity
  /// The last transaction that stays with the former identity. Later ones are numbered from 1 under
  /// the new one.
  package var last: SequenceNumber
  package var new: PeerIdentity

  package init(former: PeerIdentity, last: SequenceNumber, new: PeerIdentity) {
    self.former = former
    self.last = last
    self.new = new
  }

  /// Returns knowledge in terms of the current names.
  package func renamed(_ knowledge: Knowledge) -> Knowledge {
    let known = knowledge[former]
    guard known > last else { return knowledge }
    var knowledge = knowledge
    knowledge[former] = last
    knowledge[new] = max(
      knowledge[new], SequenceNumber(known.rawValue - last.rawValue))
    return knowledge
  }
}
