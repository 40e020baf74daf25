public import TributaryCore

/// A transaction, by its name and by what came before it.
public struct Antecedents: Hashable, Sendable {
  public var author: PeerIdentity
  public var sequence: SequenceNumber
  /// What its author knew, its own earlier transactions included; of a write that was based on an earlier version,
  /// only what that version knew.
  public var knowledge: Knowledge

  public init(author: PeerIdentity, sequence: SequenceNumber, knowledge: Knowledge) {
    self.author = author
    self.sequence = sequence
    self.knowledge = knowledge
  }
}
