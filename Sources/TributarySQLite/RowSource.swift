/// Supplies rows one after another to a statement that reads them from a `RowFeed`.
///
/// It is a class to be subclassed, not a protocol: it is called for each value, and is not retained for the
/// call.
@_spi(Rows) open class RowSource {
  public init() {}

  /// Advances to the next row; the first call advances to the first row.
  ///
  /// - Returns: `false` if there are no more rows.
  /// - Throws: an error with which the statement then fails.
  open func next() throws -> Bool { false }

  /// Passes a column of the row to the statement.
  ///
  /// The bytes must stay valid until the next call of `next`.
  open func give(column: Int, to result: RowFeed.Result) { result.giveNull() }
}
