import TributaryCore
import TributaryHorizon
import TributaryLog

/// Keeps out what the store could not merge once it has forgotten what is below the horizon that it has
/// promised or obeys (rules 7 and 8 of `docs/space.md`).
struct HorizonFence {
  private let last: Declaration?
  /// The authors with a transaction that has passed because of what it knew. Their later transactions know no
  /// less.
  private var passing: Set<PeerIdentity> = []

  init(_ state: HorizonState) { last = state.last }

  /// Returns the identifier of the declaration that a transaction does not pass; `nil` if it passes.
  mutating func excluding(_ head: TransactionHeader, of author: PeerIdentity) -> UInt64? {
    guard let last else { return nil }
    if head.basis == nil, passing.contains(author) { return nil }
    var knowledge = head.basis ?? head.knowledge
    if head.basis == nil { knowledge[author] = SequenceNumber(head.sequence.rawValue - 1) }
    guard
      last.admits(
        Antecedents(author: author, sequence: head.sequence, knowledge: knowledge))
    else { return last.identifier }
    if head.basis == nil, head.sequence > last.horizon[author] { passing.insert(author) }
    return nil
  }
}
