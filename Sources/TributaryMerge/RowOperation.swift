import TributaryCore
import TributaryLog

/// One change of one row within a batch.
struct RowOperation {
  var stamp: Stamp
  var operation: ChangeOperation
  /// A number among the mappings of the batch.
  var mapping: UInt32
  /// A number among the transactions of the batch; -1 for one that takes away what was under a
  /// number by accident.
  var transaction: Int32
  /// Where the image is in the arena of the batch.
  var start: Int
  var count: Int
  /// Where the image is as the log has it: the same, unless numbers in it mean others by now.
  var loggedStart: Int
  var loggedCount: Int
  /// It is being imported; otherwise the store has it already.
  var isNew: Bool
  /// An insert under the number of a row that was held for its author.
  var takesOver = false
  /// The next operation on the same row, or -1.
  var next: Int32
}
