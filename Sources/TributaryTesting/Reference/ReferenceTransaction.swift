package import TributaryCore

/// A commit of one peer, as the others see it.
package struct ReferenceTransaction: Sendable {
  package var stamp: Stamp
  package var sequence: SequenceNumber

  /// What its author had imported when making it.
  package var knowledge: Knowledge

  /// What its author had seen, including its own transactions; it replaces the knowledge in all
  /// decisions.
  package var basis: Knowledge?

  /// At most one change per row, except for an insert under the number of a held row: an update
  /// without values announces it.
  package var changes: [ReferenceChange]

  package init(
    stamp: Stamp, sequence: SequenceNumber, knowledge: Knowledge, basis: Knowledge? = nil,
    changes: [ReferenceChange]
  ) {
    self.stamp = stamp
    self.sequence = sequence
    self.knowledge = knowledge
    self.basis = basis
    self.changes = changes
  }

  /// The name of the transaction.
  package var identity: ReferenceSide {
    ReferenceSide(peer: stamp.peer, sequence: sequence, time: stamp.time)
  }

  /// Whether the author had the other transaction when it wrote, whatever the write was based on.
  func saw(_ other: ReferenceTransaction) -> Bool {
    knowledge[other.stamp.peer] >= other.sequence
      || other.stamp.peer == stamp.peer && other.sequence < sequence
  }

  package func knows(_ other: ReferenceTransaction) -> Bool { knows(other.identity) }

  func knows(_ other: ReferenceSide) -> Bool {
    if let basis { return basis[other.peer] >= other.sequence }
    if other.peer == stamp.peer { return other.sequence < sequence }
    return knowledge[other.peer] >= other.sequence
  }
}
