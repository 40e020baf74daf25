/// Takes part in the transactions that a connection begins with the write lock.
public protocol TransactionObserver: AnyObject {
  /// - Throws: the transaction is then rolled back.
  func didBegin(_ connection: Connection) throws
  /// What it writes is committed too.
  ///
  /// - Throws: the transaction is then rolled back.
  func willCommit(_ connection: Connection) throws
  func didCommit(_ connection: Connection)
}
