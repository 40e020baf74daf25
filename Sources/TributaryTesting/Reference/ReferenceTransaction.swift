package import TributaryCore

/// One commit of one peer, as the others learn of it.
package struct ReferenceTransaction: Sendable {
  package var stamp: Stamp
  package var sequence: SequenceNumber

  /// What its author had imported when it was made.
  package var knowledge: Knowledge

  /// At most one for each row.
  package var changes: [ReferenceChange]

  package init(
    stamp: Stamp, sequence: SequenceNumber, knowledge: Knowledge, changes: [ReferenceChange]
  ) {
    self.stamp = stamp
    self.sequence = sequence
    self.knowledge = knowledge
    self.changes = changes
  }
}
