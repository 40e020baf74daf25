/// Hands out rows one after the other, to a statement that reads them from a `RowFeed`.
///
/// A class to be subclassed and not a protocol: it is called for each value, and is not retained for
/// that.
open class RowSource {
  public init() {}

  /// Goes to the next row, which is the first one at the first call.
  ///
  /// - Returns: false when there is none.
  /// - Throws: what the statement then fails with.
  open func next() throws -> Bool { false }

  /// Gives a column of the row to the statement.
  ///
  /// Bytes must stay until the next call of `next`.
  open func give(column: Int, to result: RowFeed.Result) { result.giveNull() }
}
