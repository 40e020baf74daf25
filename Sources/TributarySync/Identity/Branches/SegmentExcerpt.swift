import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryReplay

/// Copies transactions from a segment into a segment of another identity, or of the same one.
///
/// The same excerpt has the same bytes on every device, and therefore the same name. Although several stores
/// may make it, no file has two different contents.
struct SegmentExcerpt {
  let file: SegmentName
  let source: SegmentStore
  /// The transactions to copy, by their numbers in the source.
  let range: ClosedRange<SequenceNumber>
  /// The renamings to the present names of the transactions.
  let renamings: [Renaming]
  /// Corrections of what the transactions mean by names that were given up.
  var corrections: [KnowledgeCorrection] = []

  func publish(in target: SegmentStore) throws {
    let copy = SegmentCopy(
      of: source.path(of: file), horizons: source.horizons, using: source.fileSystem,
      readsToEnd: true
    ) { range.contains($0.sequence) ? renamed($0) : nil }
    do {
      try copy.publish(in: target)
    } catch let error as FileError {
      throw ContainerError(error)
    }
  }

  /// Returns a transaction under its present name.
  private func renamed(_ transaction: TransactionHeader) -> TransactionHeader {
    guard let new = renamings.last?.new else { return transaction }
    var transaction = corrections.corrected(transaction, of: source.peer)
    // The knowledge includes the author itself, as part of what it knew then.
    var knowledge = transaction.knowledge
    knowledge[source.peer] = transaction.sequence
    for renaming in renamings { knowledge = renaming.renamed(knowledge) }
    transaction.sequence = knowledge[new]
    knowledge[new] = .zero
    transaction.knowledge = knowledge
    transaction.basis = transaction.basis.map {
      renamings.reduce($0) { knowledge, renaming in renaming.renamed(knowledge) }
    }
    return transaction
  }
}
