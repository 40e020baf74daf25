import TributaryCore
import TributaryLog

/// A correction of what a peer's published transactions mean by a name that was later given up.
///
/// A store may have imported one branch of a forked log and published transactions that refer to it before
/// that branch was reissued under another identity. Those transactions keep their contents and numbers.
/// Readers translate what their author knew to the current name.
package struct KnowledgeCorrection: Hashable, Sendable {
  /// The author of the transactions.
  package var author: PeerIdentity
  /// The name that the transactions use for what their author knew, and its current name.
  package var renaming: Renaming
  /// The first of the transactions.
  package var first: SequenceNumber
  /// The last of the transactions. Later transactions of the author use current names.
  package var last: SequenceNumber

  package init(
    author: PeerIdentity, _ renaming: Renaming, first: SequenceNumber, last: SequenceNumber
  ) {
    self.author = author
    self.renaming = renaming
    self.first = first
    self.last = last
  }
}

extension [KnowledgeCorrection] {
  /// Returns what the author of a transaction knew, by current names. Knowledge that is already corrected is
  /// unchanged.
  ///
  /// - Parameter sequence: the sequence of the transaction.
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

  /// Returns a transaction whose knowledge uses current names.
  ///
  /// - Parameter author: the author of the transaction.
  package func corrected(
    _ transaction: TransactionHeader, of author: PeerIdentity
  ) -> TransactionHeader {
    if isEmpty { return transaction }
    var transaction = transaction
    transaction.knowledge = corrected(
      transaction.knowledge, of: author, at: transaction.sequence)
    // A transaction's knowledge has no entry for its own author.
    transaction.knowledge[author] = .zero
    transaction.basis = transaction.basis.map {
      corrected($0, of: author, at: transaction.sequence)
    }
    return transaction
  }
}
