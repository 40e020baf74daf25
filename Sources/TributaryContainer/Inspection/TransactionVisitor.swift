package import TributaryLog

/// Is shown all transactions while logs are read, in order of their stamps, each once.
package protocol TransactionVisitor: AnyObject {
  /// A transaction begins. One that was not ended is in a damaged file, and does not count; another
  /// copy of it may follow.
  func begin(_ transaction: TransactionHeader, in segment: LogSegment)

  /// A change of the transaction that has begun, borrowed until this returns.
  ///
  /// - Throws: `LogError` for a change that does not fit the shape; anything else ends the reading.
  func take(_ change: ChangeView, _ shape: TableShape) throws

  /// All changes of the transaction were taken.
  func end() throws
}
