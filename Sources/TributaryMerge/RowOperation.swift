import TributaryCore
import TributaryLog

/// One change of one row within a batch.
struct RowOperation {
  var stamp: Stamp
  var operation: ChangeOperation
  /// The number of its mapping in the batch.
  var mapping: UInt32
  /// The number of its transaction in the batch; -1 for an operation that removes what was under a
  /// number by accident.
  var transaction: Int32
  /// Its place among the changes of its transaction; 0 for what is being imported, which comes in its order.
  var position: Int32
  /// The position of the image in the arena of the batch.
  var start: Int
  var count: Int
  /// The position of the image as the log has it: the same, unless numbers in it now mean others.
  var loggedStart: Int
  var loggedCount: Int
  /// Whether it is being imported; otherwise the store already has it.
  var isNew: Bool
  /// Whether it is an insert under the number of a row that was held for its author.
  var takesOver = false
  /// The next operation on the same row, or -1.
  var next: Int32

  /// Whether it applies first: by its stamp. Changes of a transaction that turn out to be of one row apply in
  /// their order, inserts last.
  func precedes(_ other: RowOperation) -> Bool {
    if stamp != other.stamp { return stamp < other.stamp }
    return operation.putsRow == other.operation.putsRow
      ? position < other.position : other.operation.putsRow
  }
}
