import TributaryCore
import TributaryLog
import TributaryStore

/// Collects all changes of some rows from logs.
public final class RowHistories {
  private let batch: MergeBatch
  private let wanted: [RowIdentity: Int]
  private var histories: [RowHistory]
  private let rereading: Rereading

  public init(_ rows: Set<RowIdentity>, in batch: MergeBatch) {
    self.batch = batch
    wanted = Dictionary(uniqueKeysWithValues: zip(rows, 0...))
    histories = rows.map { _ in RowHistory() }
    rereading = Rereading(roots: batch.roots, registry: batch.registry)
  }

  /// Adds a change; the order does not matter.
  public func add(_ change: ChangeView, mapping: Int, by transaction: BatchTransaction) throws {
    let mapping = batch.mappings[mapping]
    try rereading.withMeaning(of: change, mapping, by: transaction) { change in
      guard let place = wanted[try mapping.identity(of: change)] else { return }
      histories[place].changes.append(try mapping.change(change, by: transaction))
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
