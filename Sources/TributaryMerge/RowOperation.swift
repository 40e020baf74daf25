import TributaryCore
import TributaryLog
import TributaryStore

/// One change of one row within a batch.
struct RowOperation {
  var stamp: Stamp
  var operation: ChangeOperation
  /// The number of its mapping in the batch.
  var mapping: UInt32
  /// The number of its transaction in the batch; -1 for an operation that removes a row that was under a
  /// number by accident.
  var transaction: Int32
  /// Its position among the changes of its transaction.
  var place: Int32
  /// The range of its image in the batch's arena.
  var image = 0..<0
  /// The range in the arena of the image that the log has. It is the same range, unless numbers in the log's
  /// image now mean other numbers.
  var logged = 0..<0
  /// Whether it is being imported; otherwise the store already has it.
  var isNew: Bool
  /// Whether it is an insert under the number of a row that was held for its author.
  var takesOver = false
  /// The next operation on the same row, or -1.
  var next: Int32 = -1

  /// Whether it removes a row that was under a number by accident, and so is in no log.
  var takesAway: Bool { transaction < 0 }

  var order: ChangeOrder { ChangeOrder(stamp: stamp, operation: operation, place: place) }
}
