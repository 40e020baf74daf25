public import TributaryCore
package import TributaryLog

/// What published transactions of a peer mean by a name that was given up since.
///
/// A store may have imported one branch of a forked log and published transactions that say so, before
/// that branch was issued again under another identity. Those transactions keep
/// their contents and numbers. Readers call what the author knew by its present name.
public struct KnowledgeCorrection: Hashable, Sendable {
  /// Whose transactions are meant.
  public var author: PeerIdentity
  /// The name that they use for what their author knew, and its present one.
  public var renaming: Renaming
  /// The first of them.
  public var first: SequenceNumber
  /// The last of them: whatever the author has published since uses present names.
  public var last: SequenceNumber

  public init(
    author: PeerIdentity, _ renaming: Renaming, first: SequenceNumber, last: SequenceNumber
  ) {
    self.author = author
    self.renaming = renaming
    self.first = first
    self.last = last
  }
}

extension [KnowledgeCorrection] {
  /// What the author of a transaction knew, by present names. What was corrected before stays as it is.
  ///
  /// - Parameter sequence: the transaction.
  package func corrected(
    _ knowledge: Knowledge, of author: PeerIdentity, at sequence: SequenceNumber
  ) -> Knowledge {
    var knowledge = knowledge
    for correction in self
    where correction.author == author && correction.first <= sequence && sequence <= correction.last
    {
      knowledge = correction.renaming.renamed(knowledge)
    }
    return knowledge
  }

  /// - Parameter author: who has made the transaction.
  package func corrected(
    _ transaction: TransactionHeader, of author: PeerIdentity
  ) -> TransactionHeader {
    if isEmpty { return transaction }
    var transaction = transaction
    transaction.knowledge = corrected(
      transaction.knowledge, of: author, at: transaction.sequence)
    // No transaction names its own author there.
    transaction.knowledge[author] = .zero
    transaction.basis = transaction.basis.map {
      corrected($0, of: author, at: transaction.sequence)
    }
    return transaction
  }
}
