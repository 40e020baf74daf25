import TributaryCore
import TributaryLog
import TributaryStore

/// Collects all changes of some rows from logs.
package final class RowHistories {
  private let batch: MergeBatch
  private let wanted: [RowIdentity: Int]
  private var histories: [RowHistory]
  private let rereading: Rereading
  /// The current transaction, and the number of its changes so far.
  private var transaction: (author: BatchTransaction, count: Int32)?
  /// Returns what is known about a row from before the horizon, under the key that it had then.
  private let settled: (RowIdentity) throws -> [String: Conflict.Side]

  /// Prepares the collection.
  ///
  /// - Parameter settled: returns since when a row had its unique keys and references at the horizon, as far as a
  ///   baseline says; see `RowHistory.settled`.
  package init(
    _ rows: Set<RowIdentity>, in batch: MergeBatch,
    settled: @escaping (RowIdentity) throws -> [String: Conflict.Side] = { _ in [:] }
  ) {
    self.batch = batch
    self.settled = settled
    wanted = Dictionary(uniqueKeysWithValues: zip(rows, 0...))
    histories = rows.map { _ in RowHistory() }
    rereading = Rereading(roots: batch.roots, registry: batch.registry)
  }

  /// Starts a transaction, to which the following changes belong; the order of transactions does not matter.
  package func begin(_ author: BatchTransaction) { transaction = (author, 0) }

  /// Adds the next change of the transaction.
  package func add(_ change: ChangeView, mapping: Int) throws {
    guard let (author, place) = transaction else { preconditionFailure("no transaction has begun") }
    transaction?.count += 1
    let mapping = batch.mappings[mapping]
    try rereading.withMeaning(of: change, mapping, by: author) { meant in
      guard let row = wanted[try mapping.identity(of: meant)] else { return }
      histories[row].changes.append(try mapping.change(meant, by: author, place: place))
      if author.side == .earliest {
        histories[row].settled = try settled(mapping.identity(of: change))
      }
    }
  }

  /// All changes found, in order of stamp.
  package var result: [RowIdentity: RowHistory] {
    wanted.mapValues { place in
      var history = histories[place]
      history.sort()
      return history
    }
  }
}
