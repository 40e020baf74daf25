import TributaryCore
import TributaryLog
import TributaryStore

/// Collects all changes of some rows from logs.
public final class RowHistories {
  private let batch: MergeBatch
  private let wanted: [RowIdentity: Int]
  private var histories: [RowHistory]
  private let rereading: Rereading
  /// The present transaction, and the number of its changes so far.
  private var transaction: (author: BatchTransaction, count: Int32)?

  public init(_ rows: Set<RowIdentity>, in batch: MergeBatch) {
    self.batch = batch
    wanted = Dictionary(uniqueKeysWithValues: zip(rows, 0...))
    histories = rows.map { _ in RowHistory() }
    rereading = Rereading(roots: batch.roots, registry: batch.registry)
  }

  /// Starts a transaction, to which the following changes belong; the order of transactions does not matter.
  public func begin(_ author: BatchTransaction) { transaction = (author, 0) }

  /// Adds the next change of the transaction.
  public func add(_ change: ChangeView, mapping: Int) throws {
    guard let (author, place) = transaction else { preconditionFailure("no transaction has begun") }
    transaction?.count += 1
    let mapping = batch.mappings[mapping]
    try rereading.withMeaning(of: change, mapping, by: author) { change in
      guard let row = wanted[try mapping.identity(of: change)] else { return }
      histories[row].changes.append(try mapping.change(change, by: author, place: place))
    }
  }

  /// All changes found, in order of stamp.
  public var result: [RowIdentity: RowHistory] {
    wanted.mapValues { place in
      var history = histories[place]
      history.sort()
      return history
    }
  }
}
