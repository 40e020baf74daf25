package import TributaryCore

/// A transaction, by its name and by what came before it.
package struct Antecedents: Hashable, Sendable {
  package var author: PeerIdentity
  package var sequence: SequenceNumber
  /// What its author knew, including its own earlier transactions; for a write based on an earlier version,
  /// only what that version knew.
  package var knowledge: Knowledge

  package init(author: PeerIdentity, sequence: SequenceNumber, knowledge: Knowledge) {
    self.author = author
    self.sequence = sequence
    self.knowledge = knowledge
  }
}
