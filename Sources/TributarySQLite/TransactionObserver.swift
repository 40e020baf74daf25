/// An object that takes part in the transactions that a connection begins with the write lock.
package protocol TransactionObserver: AnyObject {
  /// Called after a transaction has begun.
  ///
  /// - Throws: an error, after which the transaction is rolled back.
  func didBegin(_ connection: Connection) throws
  /// Called before a transaction is committed. Anything that this method writes is committed too.
  ///
  /// - Throws: an error, after which the transaction is rolled back.
  func willCommit(_ connection: Connection) throws
  func didCommit(_ connection: Connection)
  /// Called after a transaction that had taken the write lock was rolled back, or has failed. What the observer has
  /// concluded since `didBegin` may be wrong.
  func didRollBack(_ connection: Connection)
}
