package import TributaryLog

/// A visitor that sees all transactions while logs are read, in order of their stamps, and each of them once.
package protocol TransactionVisitor: AnyObject {
  /// Called when a transaction begins. If its end does not follow, it is in a damaged file and does not
  /// count; another copy may follow.
  func begin(_ transaction: TransactionHeader, in segment: SegmentHeader)

  /// Called for a change of the current transaction, which is borrowed until this returns.
  ///
  /// - Throws: `LogError` for a change that does not fit the shape; any other error ends the reading.
  func take(_ change: ChangeView, _ shape: TableShape) throws

  /// Called when all changes of the transaction have been seen.
  func end() throws
}
